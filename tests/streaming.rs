//! A huge tool output is added in chunks and read and searched in parts. It is never in memory twice (CACHE-6).
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use contextfold::message::Part;
use contextfold::tool_output::{
    GrepArgs, LongText, ReadArgs, ToolOutputCacheConfig, ToolOutputs, grep, read,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1 << 20;

/// What a chunk, a pattern, an answer and the index may take in addition to the text.
const BESIDE: usize = 2 * MIB;

/// The result of `work`, the peak of what it allocates beyond what was held before, and what it still holds afterwards, in bytes.
fn measure<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = work();
    (result, MEMORY.peak_usage().saturating_sub(before), MEMORY.current_usage().saturating_sub(before))
}

/// A single test, because allocations of tests that run in parallel would count, too.
#[test]
fn a_huge_output_is_never_held_twice() {
    // Large enough to show: what is allowed in addition does not grow with it.
    let size = 40 * MIB;
    let config = ToolOutputCacheConfig::default();
    let mut outputs = ToolOutputs::new();

    let row = |n: usize| format!("2026-01-20T10:00:00 worker {n:07} finished its batch without a problem\n");
    let rows = size / row(0).len();
    let ((), peak, held) = measure(|| {
        outputs.put_text("", Some("log".into())).unwrap();
        for batch in 0..rows.div_ceil(1000) {
            let first = batch * 1000;
            let chunk: String = (first..(first + 1000).min(rows)).map(row).collect();
            outputs.append("log", &chunk).unwrap();
        }
        outputs.append("log", "ERROR disk full\nend\n").unwrap();
    });
    let bytes = usize::try_from(outputs.get("log").unwrap().bytes()).unwrap();
    assert!(bytes > 39 * MIB && held >= bytes, "{bytes} bytes, {held} held: nothing was measured");
    assert!(held < bytes + BESIDE, "{bytes} bytes are held in {held}");
    assert!(peak < bytes + BESIDE, "{bytes} bytes took {peak} to come in");

    let args = ReadArgs { offset: rows as u64 - 1, limit: 3, ..ReadArgs::new("log") };
    let (text, peak, _) = measure(|| read(&outputs, &args, &config).unwrap());
    assert!(text.contains("\tERROR disk full\n"), "{text}");
    assert!(peak < MIB, "a read of three lines took {peak} bytes");

    let args = GrepArgs { context: 1, ..GrepArgs::new("log", "^ERROR|worker 0000042") };
    let (text, peak, _) = measure(|| grep(&outputs, &args, &config).unwrap());
    assert!(
        text.starts_with("42-")
            && text.contains(":ERROR disk full\n")
            && text.ends_with("[2 of 2 matching lines shown]"),
        "{text}"
    );
    assert!(peak < BESIDE, "a search took {peak} bytes");

    // The same as one line: the parts of it that are put together are bounded, too.
    let ((), peak, _) = measure(|| {
        let mut line = LongText::default();
        while line.len() < size {
            line.push_str("{\"n\":1,\"ok\":true},日");
        }
        line.push_str("needle");
        outputs.put_long(line, Some("line".into())).unwrap();
    });
    assert!(peak < size + BESIDE, "one line took {peak} bytes to come in");
    let (text, peak, _) =
        measure(|| read(&outputs, &ReadArgs { limit: 1, ..ReadArgs::new("line") }, &config).unwrap());
    assert!(text.len() > 50_000 && peak < MIB, "a read of the line took {peak} bytes");
    let (text, peak, _) = measure(|| grep(&outputs, &GrepArgs::new("line", "needle$"), &config).unwrap());
    assert!(text.starts_with("1:…") && text.contains("needle\n"), "{text}");
    assert!(peak < 18 * MIB, "a search in the line took {peak} bytes");

    // A text that is added whole is shared with the caller.
    let whole: contextfold::message::Text = "a line of the log\n".repeat(MIB).into();
    let (_, peak, _) = measure(|| outputs.put(vec![Part::text(whole.clone())], None).unwrap());
    assert!(peak < MIB, "{peak} bytes were taken for a text that is shared");
}
