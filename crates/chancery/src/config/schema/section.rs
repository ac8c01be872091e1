//! The macro that declares a table.

/// Declares a table with its shape, and each of its keys with its type. The comments above them are the text of the
/// reference.
///
/// It also writes the list of the keys, which would otherwise have to name each again.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        $shape:ident $name:literal;
        $($(#[doc = $doc:literal])+ $key:ident: $type:ty = $setting:expr;)+
    ) => {
        /// The table.
        pub static SECTION: $crate::config::schema::Section = $crate::config::schema::Section {
            name: $name,
            shape: $crate::config::schema::Shape::$shape,
            doc: concat!($($about),+).trim_ascii(),
            keys: &[$($key.key()),+],
        };
        $(
            $(#[doc = $doc])+
            pub static $key: $type = $setting.doc(concat!($($doc),+).trim_ascii());
        )+
    };
}

pub(super) use section;
