//! Functions that do more than compute: they write, wait, lock, run programs, read files or reach the network.

/// The names that mean that anywhere.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    // PostgreSQL
    "nextval", "setval", "set_config", "dblink", "query_to_xml", "query_to_xmlschema", "query_to_xml_and_xmlschema", "cursor_to_xml", "table_to_xml", "schema_to_xml",
    "database_to_xml", "lowrite", "loread", "txid_current", "ts_stat", "copy_from", "crosstab", "connectby",
    // MySQL
    "load_file", "sleep", "benchmark", "get_lock", "release_lock", "release_all_locks", "master_pos_wait", "source_pos_wait", "wait_for_executed_gtid_set", "sys_exec",
    "sys_eval", "sys_get", "sys_set",
    // SQL Server
    "openrowset", "opendatasource", "openquery",
    // SQLite
    "load_extension", "writefile", "readfile", "edit", "fts3_tokenizer", "sqlite_compileoption_use", "lsdir", "fsdir",
    // DuckDB
    "read_csv", "read_csv_auto", "read_parquet", "parquet_scan", "parquet_metadata", "parquet_schema", "read_json", "read_json_auto", "read_json_objects", "read_ndjson",
    "read_ndjson_auto", "read_ndjson_objects", "read_text", "read_blob", "read_xlsx", "sniff_csv", "iceberg_scan", "delta_scan", "postgres_scan", "postgres_query", "sqlite_scan",
    "mysql_scan", "mysql_query", "query_table", "getenv", "glob", "sqlite_attach", "postgres_attach", "postgres_execute", "mysql_execute",
    // ClickHouse
    "s3cluster", "remotesecure", "urlcluster", "hdfscluster", "azureblobstorage", "azureblobstoragecluster", "sleepeachrow", "filesystemavailable", "catboost_evaluate",
    // Spark, Hive, Databricks, BigQuery, Trino
    "reflect", "reflect2", "java_method", "read_files", "external_query", "http_get", "http_post", "ai_query", "system_execute",
    // Oracle
    "httpuritype", "dburitype",
];

/// The names that mean that where a table is expected.
#[rustfmt::skip]
const TABLE_NAMES: &[&str] = &[
    "file", "url", "s3", "gcs", "oss", "cosn", "remote", "mysql", "postgresql", "mongodb", "redis", "sqlite", "jdbc", "odbc", "hdfs", "executable", "input", "cluster", "query",
    "icebergs3", "iceberg", "deltalake", "hudi", "ytsaurus", "mergetreeindex",
];

/// The prefixes that mean that, whatever follows.
#[rustfmt::skip]
const BEGINNINGS: &[&str] = &["xp_", "sp_", "lo_", "dblink_", "dbms_", "utl_", "system$", "sys_exec", "lib_mysqludf", "http_", "aws_", "plpy", "plperl", "st_asraster_file", "pgp_pub_"];

/// The schemas whose functions are internals of the database.
const SCHEMAS: &[&str] = &[
    "dbms_",
    "utl_",
    "owa_",
    "ctxsys",
    "sys",
    "master",
    "msdb",
    "mysql",
    "aws_s3",
    "aws_lambda",
    "cron",
    "pgagent",
];

/// The functions of PostgreSQL's own that only return information; its others are refused.
#[rustfmt::skip]
const PG_TELLS: &[&str] = &[
    "pg_typeof", "pg_size_pretty", "pg_size_bytes", "pg_relation_size", "pg_total_relation_size", "pg_table_size", "pg_indexes_size", "pg_database_size", "pg_tablespace_size",
    "pg_column_size", "pg_column_compression", "pg_encoding_to_char", "pg_char_to_encoding", "pg_is_in_recovery", "pg_postmaster_start_time", "pg_conf_load_time",
    "pg_backend_pid", "pg_describe_object", "pg_identify_object", "pg_options_to_table", "pg_my_temp_schema", "pg_is_other_temp_schema", "pg_has_role", "pg_blocking_pids",
    "pg_safe_snapshot_blocking_pids", "pg_current_wal_lsn", "pg_last_wal_receive_lsn", "pg_last_wal_replay_lsn", "pg_wal_lsn_diff", "pg_walfile_name", "pg_index_column_has_property",
    "pg_indexam_has_property", "pg_index_has_property", "pg_lsn", "pg_trigger_depth", "pg_collation_actual_version", "pg_input_is_valid", "pg_jit_available", "pg_sequence_parameters",
    "pg_sequence_last_value", "pg_filenode_relation", "pg_relation_filenode", "pg_tablespace_databases", "pg_tablespace_location", "pg_partition_tree", "pg_partition_ancestors",
    "pg_partition_root", "pg_basetype", "pg_timezone_names", "pg_timezone_abbrevs", "pg_settings_get_flags",
];

/// Returns whether a function, perhaps of a schema, does more than read rows.
pub(super) fn has_effect(name: &str, schema: Option<&str>, behind_from: bool) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.as_str();
    let schema = schema.map(str::to_ascii_lowercase);
    let of_machinery = schema.is_some_and(|schema| {
        SCHEMAS
            .iter()
            .any(|one| schema == *one || (one.ends_with('_') && schema.starts_with(one)))
    });
    let begins = BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) && name != "system$typeof";
    of_machinery
        || begins
        || NAMES.contains(&name)
        || (behind_from && TABLE_NAMES.contains(&name))
        || (name.starts_with("pg_") && !pg_tells(name))
}

fn pg_tells(name: &str) -> bool {
    PG_TELLS.contains(&name) || name.starts_with("pg_get_") || name.starts_with("pg_stat_get_") || name.ends_with("_is_visible")
}

/// Returns whether a value has no reason to call a function: those above, and those that tell an attacker about the
/// system.
pub(super) fn is_probe(name: &str) -> bool {
    const PROBES: &[&str] = &[
        "extractvalue",
        "updatexml",
        "xmltype",
        "waitfor",
        "pg_sleep",
        "version",
        "database",
        "user",
        "current_user",
        "char",
        "chr",
        "concat",
        "ascii",
        "substring",
        "substr",
        "mid",
        "hex",
        "unhex",
        "elt",
        "make_set",
        "if",
        "iif",
        "count",
        "length",
        "exec",
        "randomblob",
        "cast",
        "convert",
        "load_file",
        "group_concat",
        "schema",
        "row",
        "exp",
        "bitand",
        "ctxsys",
    ];
    let name = name.to_ascii_lowercase();
    has_effect(&name, None, true) || PROBES.contains(&name.as_str())
}
