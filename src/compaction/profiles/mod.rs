//! Profiles: which summary is asked for and accepted, depending on the kind of agent.

use serde::{Deserialize, Serialize};

use super::tags;
use crate::error::{Error, ErrorCode, Result};
use crate::names::names;
use crate::tool_output::is_json_object;

/// The default summary prompt (COMP-9).
const DEFAULT: &str = include_str!("default.md");
const DEFAULT_TAGS: &str = include_str!("default_tags.md");
const DESIGN: &str = include_str!("design.md");
const EXECUTION: &str = include_str!("execution.md");
const TAGS: &str = include_str!("tags.md");

/// The element in which the profiles other than the default answer.
const ELEMENT: &str = "compact_summary";

/// A summary that contains none of these says nothing about the work (a check from the reference document).
const SIGNS: [&str; 4] = ["current", "progress", "pending", "execution_output_dir"];

names! {
    /// A summary's prompt, answer format and limits.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
    pub enum Profile {
        /// Prose on five points (task, state, findings, next steps, what to keep), in `<summary>` tags.
        #[default]
        Default = "default",
        /// JSON for an agent that designs: the design, feedback on it, conclusions, pending actions, key paths.
        Design = "design",
        /// JSON for an agent that executes: components, progress, issues, pending work, key paths.
        Execution = "execution",
    }
}

impl Profile {
    /// The default prompt for the summariser.
    pub fn prompt(self) -> &'static str {
        match self {
            Self::Default => DEFAULT,
            Self::Design => DESIGN,
            Self::Execution => EXECUTION,
        }
        .trim_end()
    }

    /// The lines that ask for the tags, to be added to a custom prompt that lacks them; `None` if it has them.
    pub fn missing_tags(self, prompt: &str) -> Option<&'static str> {
        let (tag, lines) = match self {
            Self::Default => ("<summary>", DEFAULT_TAGS),
            Self::Design | Self::Execution => ("<compact_summary>", TAGS),
        };
        (!prompt.contains(tag)).then_some(lines.trim_end())
    }

    /// The most tokens that the answer may take, if the profile sets a limit.
    pub const fn max_tokens(self) -> Option<u64> {
        match self {
            Self::Default => None,
            Self::Design | Self::Execution => Some(4000),
        }
    }

    /// The temperature for the answer, if the profile sets one.
    pub const fn temperature(self) -> Option<f64> {
        match self {
            Self::Default => None,
            Self::Design | Self::Execution => Some(0.0),
        }
    }

    /// Puts a text that was not written for this profile, such as the extractive summary, into its format.
    pub fn wrap(self, text: String) -> String {
        if self == Self::Default {
            return text;
        }
        let text = tags::extract(&text).summary.unwrap_or(text);
        let json = serde_json::json!({ "current_state": text.trim() });
        format!("<{ELEMENT}>{json}</{ELEMENT}>")
    }

    /// Returns the summary in an answer: the text for the view.
    ///
    /// For profiles with JSON: the text before the element, and the element with its JSON as written. An answer that is only JSON, fenced
    /// or not, is put into the element.
    ///
    /// # Errors
    /// The message gives a reason that the next attempt can be told. `SUMMARY_EMPTY`; `SUMMARY_TRUNCATED` for an element that is not
    /// closed; `SUMMARY_INVALID` for several elements, for one without a JSON object, or for one that says nothing about the work.
    pub fn accept(self, answer: &str) -> Result<String> {
        if self == Self::Default {
            let tagged = tags::extract(answer);
            match tagged.form {
                tags::Form::CutOff => return Err(cut_off("summary")),
                tags::Form::Ambiguous => return Err(ambiguous("summary")),
                _ => {}
            }
            let text = tagged.summary.filter(|text| !text.trim().is_empty()).ok_or_else(empty)?;
            return Ok(text.trim().to_owned());
        }
        if answer.trim().is_empty() {
            return Err(empty());
        }
        let found = tags::element(answer, ELEMENT).map_err(|tags::Ambiguous| ambiguous(ELEMENT))?;
        let (before, inner) = match found {
            Some(element) if element.cut_off => return Err(cut_off(ELEMENT)),
            Some(element) => (element.before.trim(), element.inner),
            None => ("", answer),
        };
        let json = tags::clean(inner).ok_or_else(empty)?;
        if !is_json_object(&json) {
            let why = format!("the answer has no JSON object between <{ELEMENT}> and </{ELEMENT}>");
            return Err(Error::new(ErrorCode::SummaryInvalid, why));
        }
        let line_break = if before.is_empty() { "" } else { "\n" };
        let text = format!("{before}{line_break}<{ELEMENT}>{json}</{ELEMENT}>");
        let lower = text.to_lowercase();
        if !SIGNS.iter().any(|sign| lower.contains(sign)) {
            let why = format!("the summary says nothing about the work: it has none of {}", SIGNS.join(", "));
            return Err(Error::new(ErrorCode::SummaryInvalid, why));
        }
        Ok(text)
    }
}

fn empty() -> Error {
    Error::new(ErrorCode::SummaryEmpty, "the summary is empty")
}

fn ambiguous(element: &str) -> Error {
    let why = format!(
        "the answer has more than one <{element}> element: write each tag once, and put tags that you quote from the conversation in backticks"
    );
    Error::new(ErrorCode::SummaryInvalid, why)
}

fn cut_off(element: &str) -> Error {
    let why = format!("the answer opens <{element}> and never closes it: it was cut off");
    Error::new(ErrorCode::SummaryTruncated, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{"pending_work": ["fix B"], "big": 12345678901234567890}"#;

    #[test]
    fn names_round_trip() {
        for name in Profile::NAMES {
            let profile = Profile::parse(name).unwrap();
            assert_eq!(profile.as_str(), name);
            assert_eq!(serde_json::to_value(profile).unwrap(), name);
            assert_eq!(profile.missing_tags(profile.prompt()), None);
            assert!(profile.missing_tags("Sum up.").is_some());
        }
        assert_eq!(Profile::parse("Design"), None);
    }

    #[test]
    fn text_before_the_element_and_its_json_are_kept_unchanged() {
        let of = |answer: String| Profile::Execution.accept(&answer).unwrap();
        let element = format!("<compact_summary>{JSON}</compact_summary>");
        assert_eq!(of(element.clone()), element);
        assert_eq!(
            of(format!("Done so far:\n<compact_summary>\n```json\n{JSON}\n```\n</compact_summary>\nBye.")),
            format!("Done so far:\n{element}")
        );
        for bare in [JSON.to_owned(), format!("```json\n{JSON}\n```"), format!("  {JSON}\n")] {
            assert_eq!(of(bare), element);
        }
    }

    #[test]
    fn a_refusal_says_how_to_correct_the_answer() {
        let refused = |answer: &str| Profile::Design.accept(answer).unwrap_err().to_string();
        let answers = [
            "",
            "<compact_summary> </compact_summary>",
            "<compact_summary>{\"pending_actions\":",
            "I did much. current, pending.",
            "<compact_summary>{\"pending_actions\": [}</compact_summary>",
            "<compact_summary>[\"current\"]</compact_summary>",
            "<compact_summary>{\"note\": \"all well\"}</compact_summary>",
        ];
        insta::assert_snapshot!(answers.map(refused).join("\n"), @r"
        SUMMARY_EMPTY: the summary is empty
        SUMMARY_EMPTY: the summary is empty
        SUMMARY_TRUNCATED: the answer opens <compact_summary> and never closes it: it was cut off
        SUMMARY_INVALID: the answer has no JSON object between <compact_summary> and </compact_summary>
        SUMMARY_INVALID: the answer has no JSON object between <compact_summary> and </compact_summary>
        SUMMARY_INVALID: the answer has no JSON object between <compact_summary> and </compact_summary>
        SUMMARY_INVALID: the summary says nothing about the work: it has none of current, progress, pending, execution_output_dir
        ");
    }

    #[test]
    fn a_quoted_element_is_refused() {
        let element = format!("<compact_summary>{JSON}</compact_summary>");
        let quoting =
            format!("{element}\nThe page said: <compact_summary>{{\"current\": 1}}</compact_summary>");
        let error = Profile::Design.accept(&quoting).unwrap_err();
        assert_eq!(error.code(), ErrorCode::SummaryInvalid);
        assert!(error.message().contains("write each tag once"));
    }
}
