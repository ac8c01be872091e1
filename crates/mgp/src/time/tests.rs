//! Tests of formatting and parsing times.

use model::Timestamp;

use super::{format, parse};

#[test]
fn row_6_3_timestamps_are_utc_with_milliseconds() {
    assert_eq!(format(Timestamp(1_772_193_600_000)), "2026-02-27T12:00:00.000Z");
    assert_eq!(format(Timestamp(-1)), "1969-12-31T23:59:59.999Z");
    assert_eq!(format(Timestamp(i64::MAX)), "9999-12-30T22:00:00.999Z");
    assert_eq!(format(Timestamp(i64::MIN)), "-009999-01-02T01:59:59.000Z");
}

#[test]
fn d16_expiry_is_an_instant_whatever_the_offset() {
    let noon = Some(Timestamp(1_772_193_600_000));
    for same in [
        "2026-02-27T12:00:00Z",
        "2026-02-27t12:00:00z",
        "2026-02-27T12:00:00.000999Z",
        "2026-02-27T13:00:00+01:00",
        "2026-02-26T19:00:00-17:00",
    ] {
        assert_eq!(parse(same), noon, "{same}");
    }
}

#[test]
fn what_is_no_date_time_is_refused() {
    for wrong in [
        "",
        "tomorrow",
        "2026-02-27",
        "2026-02-27T12:00:00",
        "2026-02-27 12:00:00Z",
        "2026-02-27T12:00Z",
        "2026-02-30T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-02-27T25:00:00Z",
        "2026-02-27T12:00:00.Z",
        "2026-02-27T12:00:00.0000000001Z",
        "2026-02-27T12:00:00+0100",
        "2026-02-27T12:00:00Z[Europe/Paris]",
        "1772193600",
        "２026-02-27T12:00:00Z",
    ] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
}
