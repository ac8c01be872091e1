//! The frames from which damaged ones are made. The fuzz targets start from them, too.

/// Frames that touch every path of the scanner.
pub(crate) const CORPUS: [&str; 22] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":[1,2.5e-3,-0]},"_meta":{"progressToken":7}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"é","progress":0.5}}"#,
    r#"{"jsonrpc":"2.0","id":"\u0061","result":{"content":[{"type":"text","text":"line\nline \"q\" \\ 快速的棕色狐狸跳过懒狗 a tail of more than one block of bytes"}]}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":[null,true,false]}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#,
    r#" [ {"jsonrpc":"2.0","method":"a"} , {"jsonrpc":"2.0","id":2,"result":null} , 1, [] ] "#,
    "[]",
    r#"{"id":123456789012345678901234567890,"jsonrpc":"2\u002e0","x-unknown":[[[{}]]],"method":"a\/b","params":null}"#,
    r#"{"jsonrpc":"2.0","id":1.0,"method":"m"}"#,
    r#"{"jsonrpc":"2.0","id":1e1000,"method":"m"}"#,
    r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#,
    r#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"m","method":"n"}"#,
    "{\r\n\t\"jsonrpc\" : \"2.0\" ,\r\n        \"id\" : \"x\" ,\n \"method\" : \"\\ud83d\\ude00\" , \"params\" : [ ]\n}\n",
    r#""\ud800\udfff\uD83D\u0000\b\f\n\r\t\/\"\\""#,
    "\u{feff}{}",
    r#"{"a":{"b":{"c":1},"":[1,{"a":2}]},"c":"\u0000","_meta":{"a":null},"é\n":{}}"#,
    r#"{ "a" : 1 , "b" : { "a" : [ ] , "c" : 3 } , "c" : -1.5E+10 , "id" : {} , "params" : { "_meta" : { "b" : 0 } } }"#,
    r#"{"a":1,"\u0061":2,"b":{"a":1,"a":2},"b":3}"#,
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    r#"[0,-0,0.0,1e5,1E+5,1e-5,18446744073709551616,-9223372036854775809,0.1234567890123456789]"#,
    "truefalsenull",
    "\"\\u00",
];
