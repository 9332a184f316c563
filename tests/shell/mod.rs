//! Tests of the wasm shell in every environment: `tests/node.rs` and `tests/web.rs` include it.

use contextfold::wasm::{OpenAIHistoryAdapter, Session};
use js_sys::{Array, Function, JSON, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

/// Evaluates a script.
fn js(expression: &str) -> JsValue {
    Function::new_no_args(&format!("return ({expression});")).call0(&JsValue::UNDEFINED).unwrap()
}

fn field(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).unwrap()
}

fn session(options: &str) -> Session {
    let session = Session::new(js(options)).unwrap();
    for turn in 0..3 {
        let text = format!("question {turn} {}", "word ".repeat(400));
        let messages = Array::of2(
            &js(&format!("{{ role: 'user', content: `{text}` }}")),
            &js(&format!("{{ role: 'assistant', content: 'answer {turn}' }}")),
        );
        session.push(messages.into()).unwrap();
    }
    session
}

fn texts(session: &Session) -> Vec<String> {
    let view = session.view("messages".into(), JsValue::UNDEFINED).unwrap();
    Array::from(&view).iter().map(|m| field(&m, "content").as_string().unwrap()).collect()
}

#[wasm_bindgen_test]
async fn a_promise_callback_writes_the_summary() {
    let session = session(
        "{ contextWindow: 100000, summarize: (request) => new Promise((done) => setTimeout(() => done({ \
         text: '<summary>' + request.messages.length + ' messages</summary>', usage: { input_tokens: 7, output_tokens: 2 } }), 5)) }",
    );
    let report = JsFuture::from(session.compact(JsValue::UNDEFINED)).await.unwrap();
    assert!(
        texts(&session)[0].contains("\n7 messages\n"),
        "six messages and the instruction: {:?}",
        texts(&session)
    );
    assert_eq!(texts(&session).len(), 3);
    assert_eq!(field(&field(&field(&report, "summary"), "usage"), "total_tokens"), 9);
}

#[wasm_bindgen_test]
async fn without_a_callback_the_extractive_summariser_writes_it() {
    let session = session("{ contextWindow: 100000 }");
    JsFuture::from(session.compact(JsValue::UNDEFINED)).await.unwrap();
    assert!(texts(&session)[0].contains("question 0"), "{:?}", texts(&session));
}

#[wasm_bindgen_test]
async fn a_callback_that_rejects_changes_nothing() {
    let session = session(
        "{ contextWindow: 100000, compaction: { onFailure: 'error' }, summarize: () => Promise.reject(new Error('503')) }",
    );
    let before = texts(&session);
    let error = JsFuture::from(session.compact(JsValue::UNDEFINED)).await.unwrap_err();
    assert_eq!(field(&error, "code"), "SUMMARY_FAILED");
    assert_eq!(field(&field(&error, "cause"), "message"), "503");
    assert_eq!(texts(&session), before);
}

#[wasm_bindgen_test]
async fn an_abort_ends_a_wait_that_never_settles() {
    let session = session("{ contextWindow: 100000, summarize: () => new Promise(() => {}) }");
    let before = texts(&session);
    let controller = js("new AbortController()");
    let options = js_sys::Object::new();
    Reflect::set(&options, &"signal".into(), &field(&controller, "signal")).unwrap();
    let waiting = session.compact(options.into());
    let abort: Function = field(&controller, "abort").unchecked_into();
    abort.call0(&controller).unwrap();
    let error = JsFuture::from(waiting).await.unwrap_err();
    assert_eq!(field(&error, "code"), "ABORTED");
    assert_eq!(texts(&session), before);
}

#[wasm_bindgen_test]
fn items_keep_their_identity_and_surrogates_do_no_harm() {
    let items = js(
        "[{ role: 'user', content: 'lone \\ud800 surrogate' }, { type: 'from_the_future', id: 'x', deep: [1, { a: null }] }]",
    );
    let before = JSON::stringify(&items).unwrap();
    let history = OpenAIHistoryAdapter::new(items.clone()).unwrap();
    let live = history.input_items();
    assert!(live.iter().zip(Array::from(&items).iter()).all(|(a, b)| js_sys::Object::is(&a, &b)));
    assert_eq!(JSON::stringify(&live).unwrap(), before);
}
