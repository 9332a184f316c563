use super::lines;
use super::scan::Document;
use super::write::{self, Level};
use crate::tokens::TokenCounter;

/// The default of how many tokens a tool output may have before it is compressed.
pub const JSON_MAX_TOKENS: u64 = 200;

/// From mild to strong; the first level that suffices is used.
const LEVELS: [Level; 3] = [
    Level { string_chars: 200, list: 20, members: 50 },
    Level { string_chars: 80, list: 4, members: 20 },
    Level { string_chars: 48, list: 4, members: 8 },
];

/// Compresses the JSON of a tool output to fewer tokens. The result is JSON with the mark `"compressed": true`.
///
/// Returns `None` if the output has at most `max_tokens`, is not JSON, or would not become smaller. What it does:
///
/// - A list of more than four objects, at any depth, becomes `<name>_preview`: the first two, the last two, and items
///   between them that report a failure, each reduced to `id`, `title` and `name`. Texts such as
///   `"... (16 items omitted)"` replace the others. Long lists of other values lose their middle, too.
/// - Long strings lose their middle; ids and error texts only if they are far longer.
/// - Objects with very many members lose some, but never those that report success or failure, errors, counts or ids.
/// - Numbers, and everything that is kept, are written exactly as they were.
///
/// It compresses only as much as necessary to reach `max_tokens`, and the result may still have more. JSON lines are
/// compressed line by line; if that is not enough, lines in the middle are removed. A list or a string at the top level
/// becomes an object.
pub fn compress_json(text: &str, max_tokens: u64, counter: &dyn TokenCounter) -> Option<String> {
    if counter.count_up_to(text, max_tokens).is_some() {
        return None;
    }
    let smallest = if let Some(document) = Document::parse(text) {
        first_fit(max_tokens, counter, |level| write::document(&document, level))
    } else {
        let documents = lines::parse(text)?;
        let whole = first_fit(max_tokens, counter, |level| lines::each(&documents, level));
        whole
            .filter(|out| counter.count_up_to(out, max_tokens).is_some())
            .or_else(|| first_fit(max_tokens, counter, |level| lines::ends(&documents, level)))
    }?;
    (smallest.len() <= text.len() && counter.count(&smallest) < counter.count(text)).then_some(smallest)
}

/// The result of `write` at the first level that fits, or else at the last one.
fn first_fit(
    max_tokens: u64,
    counter: &dyn TokenCounter,
    write: impl Fn(&Level) -> Option<String>,
) -> Option<String> {
    let mut last = None;
    for level in &LEVELS {
        let Some(out) = write(level) else { continue };
        if counter.count_up_to(&out, max_tokens).is_some() {
            return Some(out);
        }
        last = Some(out);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{BytesPerFour, Estimate};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn compressed(text: &str, max_tokens: u64) -> String {
        let out = compress_json(text, max_tokens, &Estimate).unwrap();
        assert!(out.len() <= text.len());
        out
    }

    #[test]
    fn small_outputs_and_non_json_are_unchanged() {
        assert_eq!(compress_json("{\"a\": 1}", 200, &Estimate), None);
        for text in ["not JSON ", "{\"a\": 1} and more ", "[1, 2, ", "\u{feff}{} ", "1\n2\n3\n"] {
            assert_eq!(compress_json(&text.repeat(200), 200, &Estimate), None, "{text}");
        }
        let number = "9".repeat(10_000);
        assert_eq!(compress_json(&number, 200, &Estimate), None);
    }

    #[test]
    fn numbers_keep_their_original_spelling() {
        let text = json!({ "log": "x".repeat(5000) }).to_string();
        let numbers =
            r#""id": 9223372036854775807, "user_id":12345678901234567890123, "a":[1e400,1.10,-0.0,1E+2]"#;
        let out = compressed(&text.replacen('{', &format!("{{{numbers},"), 1), 200);
        assert!(
            out.starts_with(
                r#"{"id":9223372036854775807,"user_id":12345678901234567890123,"a":[1e400,1.10,-0.0,1E+2],"#
            ),
            "{out}"
        );
    }

    #[test]
    fn success_errors_counts_and_ids_survive_at_any_depth() {
        let mut text = json!({
            "success": false, "error": { "code": "E42", "message": "disk full on /dev/sda1" }, "total_count": 7,
            "request_id": "r".repeat(300), "body": "b".repeat(9000),
        })
        .to_string();
        for _ in 0..1000 {
            text = format!("{{\"valid\":true,\"data\":[{text}]}}");
        }
        let out = compressed(&text, 200);
        let end = format!(
            r#""request_id":"{}","body":"{}…[+8984 characters]…{}""#,
            "r".repeat(300),
            "b".repeat(12),
            "b".repeat(4)
        );
        for kept in [
            r#""success":false"#,
            r#"{"code":"E42","message":"disk full on /dev/sda1"}"#,
            r#""total_count":7"#,
            &end,
        ] {
            assert!(out.contains(kept), "{kept}: {}", &out[15_000..]);
        }
        assert!(out.ends_with(",\"compressed\":true}"));
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = 200_000;
        let text = format!("{}\"{}\"{}", "{\"data\": [".repeat(deep), "x".repeat(1000), "]}".repeat(deep));
        let out = compressed(&text, 200);
        assert!(out.contains("characters]…") && out.ends_with("]}]}],\"compressed\":true}"));
    }

    #[test]
    fn failed_items_are_kept() {
        let items: Vec<Value> = (1..=60)
            .map(|n| match n {
                7 => json!({ "id": n, "name": "seven", "success": false, "error": "timed out", "body": "b".repeat(40) }),
                _ => json!({ "id": n, "name": "fine", "success": true, "error": null, "body": "b".repeat(40) }),
            })
            .collect();
        insta::assert_snapshot!(compressed(&json!({ "items": items, "next": "p2" }).to_string(), 200), @r#"{"next":"p2","items_preview":[{"id":1,"name":"fine"},{"id":2,"name":"fine"},"... (4 items omitted)",{"id":7,"name":"seven","success":false,"error":"timed out"},"... (51 items omitted)",{"id":59,"name":"fine"},{"id":60,"name":"fine"}],"compressed":true}"#);
        let all_failed = json!({ "items": vec![json!({ "id": 1, "ok": false }); 100] }).to_string();
        let out = compressed(&all_failed, 200);
        assert!(out.contains("\"... (88 items omitted, 88 of them failed)\""), "{out}");
    }

    #[test]
    fn lists_of_lists_long_lists_and_maps_are_shortened() {
        let rows: Vec<Value> = (0..40).map(|n| json!(vec![n; 30])).collect();
        insta::assert_snapshot!(compressed(&json!({ "rows": rows }).to_string(), 200), @r#"{"rows_preview":[[0,0,"... (26 items omitted)",0,0],[1,1,"... (26 items omitted)",1,1],"... (36 items omitted)",[38,38,"... (26 items omitted)",38,38],[39,39,"... (26 items omitted)",39,39]],"compressed":true}"#);
        let map: serde_json::Map<String, Value> =
            (0..500).map(|n| (format!("host{n}"), json!({ "up": true }))).collect();
        insta::assert_snapshot!(compressed(&json!({ "hosts": map, "count": 500 }).to_string(), 200), @r#"{"hosts":{"host0":{"up":true},"host1":{"up":true},"host2":{"up":true},"host3":{"up":true},"host4":{"up":true},"host5":{"up":true},"host6":{"up":true},"host7":{"up":true},"host8":{"up":true},"host9":{"up":true},"host10":{"up":true},"host11":{"up":true},"host12":{"up":true},"host13":{"up":true},"host14":{"up":true},"host15":{"up":true},"host16":{"up":true},"host17":{"up":true},"host18":{"up":true},"host19":{"up":true},"...":"(480 members omitted)"},"count":500,"compressed":true}"#);
    }

    #[test]
    fn a_top_level_list_or_string_becomes_an_object() {
        let items: Vec<Value> = (0..100).map(|n| json!({ "id": n, "text": "some text" })).collect();
        insta::assert_snapshot!(compressed(&json!(items).to_string(), 200), @r#"{"items_preview":[{"id":0},{"id":1},"... (96 items omitted)",{"id":98},{"id":99}],"compressed":true}"#);
        let one = json!([{ "id": 1, "text": "word ".repeat(1000) }]).to_string();
        insta::assert_snapshot!(compressed(&one, 200), @r#"{"items":[{"id":1,"text":"word word word word word word word word word word word word word word word word word word word word word word word word word w…[+4832 characters]…d word word word word word word word word "}],"compressed":true}"#);
        insta::assert_snapshot!(compressed(&json!("line\n".repeat(1000)).to_string(), 200), @r#"{"value":"line\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nline\nl…[+4832 characters]…e\nline\nline\nline\nline\nline\nline\nline\nline\n","compressed":true}"#);
    }

    #[test]
    fn json_lines_are_compressed_line_by_line_before_lines_are_dropped() {
        let with_body = |n: u32| json!({ "id": n, "body": "b".repeat(2000) }).to_string();
        insta::assert_snapshot!(compressed(&format!("{}\r\n\n{}\n", with_body(1), with_body(2)), 200), @r#"
        {"id":1,"body":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…[+1832 characters]…bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","compressed":true}
        {"id":2,"body":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…[+1832 characters]…bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","compressed":true}
        "#);
        let log: Vec<String> = (1..=300)
            .map(|n| {
                json!({ "n": n, "level": if n == 120 { "error" } else { "info" }, "msg": "started" })
                    .to_string()
            })
            .collect();
        insta::assert_snapshot!(compressed(&log.join("\n"), 200), @r#"
        {"n":1,"level":"info","msg":"started"}
        {"n":2,"level":"info","msg":"started"}
        {"omitted":"... (117 items omitted)","compressed":true}
        {"n":120,"level":"error","msg":"started"}
        {"omitted":"... (178 items omitted)","compressed":true}
        {"n":299,"level":"info","msg":"started"}
        {"n":300,"level":"info","msg":"started"}
        "#);
    }

    #[test]
    fn existing_preview_and_compressed_keys_are_handled() {
        let items: Vec<Value> = (1..=30).map(|n| json!({ "id": n, "text": "some text" })).collect();
        let taken = json!({ "items": items, "items_preview": "mine", "compressed": "gzip" }).to_string();
        insta::assert_snapshot!(compressed(&taken, 100), @r#"{"items_preview":"mine","compressed_original":"gzip","items":[{"id":1},{"id":2},"... (26 items omitted)",{"id":29},{"id":30}],"compressed":true}"#);
        let once = compressed(
            &json!({ "items": vec![json!({ "id": "i".repeat(900), "x": 1 }); 30] }).to_string(),
            10,
        );
        assert_eq!(compress_json(&once, 10, &Estimate), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z日👍🏽\"\\\\\n]{0,300}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 200, 12, |inner| {
            let key = prop::sample::select(vec![
                "id", "items", "error", "success", "total", "body", "data", "name", "compressed", "x_id",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..12).prop_map(|members| members
                    .into_iter()
                    .map(|(k, v)| (k.to_owned(), v))
                    .collect::<Value>()),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_result_is_valid_json_marked_and_smaller(value in any_json(), max_tokens in 0u64..300, pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let Some(out) = compress_json(&text, max_tokens, &BytesPerFour) else { return Ok(()) };
            prop_assert!(out.len() < text.len());
            prop_assert!(BytesPerFour.count(&text) > max_tokens);
            let shorter: Value = serde_json::from_str(&out).unwrap();
            prop_assert_eq!(&shorter["compressed"], &json!(true));
            for kept in ["id", "success", "total", "error", "x_id"] {
                if value[kept].is_number() || value[kept].is_boolean() || value[kept].as_str().is_some_and(|s| s.len() < 40) {
                    prop_assert_eq!(&shorter[kept], &value[kept]);
                }
            }
            prop_assert_eq!(compress_json(&text, max_tokens, &BytesPerFour), Some(out));
        }
    }
}
