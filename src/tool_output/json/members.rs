//! What the names of an object's members say about their meaning.

use super::scan::{Document, Kind};

/// The meaning of a member, according to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberKind {
    /// Identifies an item of a list.
    Identity,
    /// Any other id, or a path.
    Id,
    /// Describes what went wrong.
    Error,
    /// Says whether it succeeded.
    Outcome,
    /// How many there are.
    Count,
    /// Anything else.
    Plain,
}

/// The meaning of a member with this raw name, which includes quotation marks.
pub(super) fn kind_of_member(raw_key: &str) -> MemberKind {
    let name = raw_key.trim_matches('"');
    if name.len() > 40 {
        return MemberKind::Plain;
    }
    let lower: String =
        name.chars().filter(|c| *c != '_' && *c != '-').map(|c| c.to_ascii_lowercase()).collect();
    match lower.as_str() {
        "id" | "title" | "name" => MemberKind::Identity,
        "error" | "errors" | "errormessage" | "exception" | "traceback" | "stacktrace" | "reason"
        | "failure" | "failures" => MemberKind::Error,
        "success" | "ok" | "status" | "state" | "iserror" | "failed" | "code" | "exitcode" | "returncode"
        | "statuscode" | "errorcode" => MemberKind::Outcome,
        "total" | "count" | "length" | "size" => MemberKind::Count,
        "uuid" | "guid" | "path" | "ref" => MemberKind::Id,
        _ if ends_with_word(name, "id", "Id", "ID") => MemberKind::Id,
        _ if lower.starts_with("total")
            || lower.starts_with("num")
            || lower.ends_with("count")
            || lower.ends_with("total") =>
        {
            MemberKind::Count
        }
        _ => MemberKind::Plain,
    }
}

/// `user_id`, `userId`, `userID`; not `valid`.
fn ends_with_word(name: &str, lower: &str, camel: &str, upper: &str) -> bool {
    name.ends_with(camel)
        || name.ends_with(upper)
        || name.strip_suffix(lower).is_some_and(|before| before.ends_with(['_', '-']))
}

/// Whether this member reports that its object failed.
pub(super) fn reports_failure(document: &Document<'_>, member: usize) -> bool {
    let raw = document.raw(member);
    match plain_name(document, member).as_str() {
        "exitcode" | "returncode" => document.kind(member) == Kind::Other && raw != "0" && raw != "null",
        "status" | "state" | "level" | "severity" | "outcome" | "result" | "conclusion" => {
            let word = raw.trim_matches('"').to_ascii_lowercase();
            ["error", "failed", "failure", "fatal", "critical"].contains(&word.as_str())
        }
        _ => is_error(document, member),
    }
}

/// Whether this member says that the call failed whose output its object is. A state may be that of something that the call is about.
pub(super) fn is_error(document: &Document<'_>, member: usize) -> bool {
    let raw = document.raw(member);
    match plain_name(document, member).as_str() {
        "success" | "ok" => raw == "false",
        "iserror" | "failed" => raw == "true",
        "error" | "errors" | "errormessage" | "exception" | "traceback" | "stacktrace" => {
            let empty =
                matches!(document.kind(member), Kind::Array | Kind::Object) && document.len(member) == 0;
            let nothing = ["null", "false", "", "0", "none", "ok", "success", "no error"];
            !empty && !nothing.contains(&raw.trim_matches('"').to_ascii_lowercase().as_str())
        }
        _ => false,
    }
}

/// Whether this member says that the call succeeded, or holds what it returned, beside which errors may be warnings.
pub(super) fn is_success(document: &Document<'_>, member: usize) -> bool {
    match plain_name(document, member).as_str() {
        "success" | "ok" => document.raw(member) == "true",
        "data" => matches!(document.kind(member), Kind::Array | Kind::Object) && document.len(member) > 0,
        _ => false,
    }
}

/// A member's name in small letters, without what joins its words.
fn plain_name(document: &Document<'_>, member: usize) -> String {
    document.key(member).trim_matches('"').to_ascii_lowercase().replace(['_', '-'], "")
}

/// Whether an item of a list is an object that reports a failure.
pub(super) fn failed(document: &Document<'_>, item: usize) -> bool {
    document.kind(item) == Kind::Object && document.children(item).any(|m| reports_failure(document, m))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_are_recognised_as_failed() {
        let tells = |text: &str| failed(&Document::parse(text).unwrap(), 0);
        for text in [
            r#"{"success": false}"#, r#"{"error": "disk"}"#, r#"{"errors": [1]}"#, r#"{"level": "ERROR"}"#,
            r#"{"exit_code": 2}"#, r#"{"error": {"code": 5}}"#, r#"{"isError": true}"#,
        ] {
            assert!(tells(text), "{text}");
        }
        for text in [
            r#"{"success": true}"#, r#"{"error": null}"#, r#"{"errors": []}"#, r#"{"level": "info"}"#,
            r#"{"exit_code": 0}"#, r#"{"error": ""}"#, "[]", r#""error""#,
        ] {
            assert!(!tells(text), "{text}");
        }
    }
}
