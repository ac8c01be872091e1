//! The supported dialects of SQL.

use sqlparser::dialect::{self, Dialect as Parsed};

/// A dialect of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The common part of most dialects.
    Generic,
    /// PostgreSQL and its relatives.
    PostgreSql,
    /// MySQL and MariaDB.
    MySql,
    /// Microsoft SQL Server.
    MsSql,
    /// SQLite.
    Sqlite,
    /// BigQuery.
    BigQuery,
    /// Snowflake.
    Snowflake,
    /// DuckDB.
    DuckDb,
    /// ClickHouse.
    ClickHouse,
    /// Databricks and Spark.
    Databricks,
    /// Hive.
    Hive,
    /// Redshift.
    Redshift,
    /// Oracle.
    Oracle,
}

impl Dialect {
    /// All dialects, the likely ones first.
    pub(super) const ALL: &[Self] = &[
        Self::Generic,
        Self::PostgreSql,
        Self::MySql,
        Self::DuckDb,
        Self::BigQuery,
        Self::Snowflake,
        Self::Databricks,
        Self::MsSql,
        Self::ClickHouse,
        Self::Hive,
        Self::Sqlite,
        Self::Redshift,
        Self::Oracle,
    ];

    /// One dialect for each way to tokenize a text.
    pub(super) const FAMILIES: &[Self] = &[
        Self::Generic,
        Self::PostgreSql,
        Self::MySql,
        Self::MsSql,
        Self::BigQuery,
        Self::Snowflake,
    ];

    /// Parses a dialect by the name that servers use.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "generic" | "ansi" | "sql" => Self::Generic,
            "postgres" | "postgresql" | "pg" | "cockroachdb" => Self::PostgreSql,
            "mysql" | "mariadb" => Self::MySql,
            "mssql" | "sqlserver" | "tsql" => Self::MsSql,
            "sqlite" | "sqlite3" => Self::Sqlite,
            "bigquery" => Self::BigQuery,
            "snowflake" => Self::Snowflake,
            "duckdb" => Self::DuckDb,
            "clickhouse" => Self::ClickHouse,
            "databricks" | "spark" => Self::Databricks,
            "hive" => Self::Hive,
            "redshift" => Self::Redshift,
            "oracle" => Self::Oracle,
            _ => return None,
        })
    }

    pub(super) fn of_parser(self) -> Box<dyn Parsed> {
        match self {
            Self::Generic => Box::new(dialect::GenericDialect {}),
            Self::PostgreSql => Box::new(dialect::PostgreSqlDialect {}),
            Self::MySql => Box::new(dialect::MySqlDialect {}),
            Self::MsSql => Box::new(dialect::MsSqlDialect {}),
            Self::Sqlite => Box::new(dialect::SQLiteDialect {}),
            Self::BigQuery => Box::new(dialect::BigQueryDialect {}),
            Self::Snowflake => Box::new(dialect::SnowflakeDialect {}),
            Self::DuckDb => Box::new(dialect::DuckDbDialect {}),
            Self::ClickHouse => Box::new(dialect::ClickHouseDialect {}),
            Self::Databricks => Box::new(dialect::DatabricksDialect {}),
            Self::Hive => Box::new(dialect::HiveDialect {}),
            Self::Redshift => Box::new(dialect::RedshiftSqlDialect {}),
            Self::Oracle => Box::new(dialect::OracleDialect {}),
        }
    }
}
