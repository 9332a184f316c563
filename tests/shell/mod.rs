//! Tests of the wasm shell in every environment: `tests/node.rs` and `tests/web.rs` include it. What waits for callbacks and stores is in
//! `pkg/host`, and is tested with the package.

use contextfold::wasm::{OpenAIHistoryAdapter, Session};
use js_sys::{Array, Function, JSON, Reflect};
use wasm_bindgen::JsValue;
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
async fn a_view_that_fits_needs_nothing_but_the_module() {
    let session = session("{ contextWindow: 100000 }");
    let prepared = JsFuture::from(session.prepare(JsValue::UNDEFINED).unwrap()).await.unwrap();
    assert_eq!(Array::from(&field(&prepared, "messages")).length(), 6);
}

#[wasm_bindgen_test]
fn a_module_by_itself_says_that_it_cannot_wait() {
    let session = session("{ contextWindow: 100000 }");
    let error = session.compact(JsValue::UNDEFINED).unwrap_err();
    assert_eq!(field(&error, "code"), "NOT_INITIALIZED");
    assert_eq!(texts(&session).len(), 6);
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
