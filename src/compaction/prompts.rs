//! The instructions for the summariser: the default prompts and how they are combined.
//!
//! Everything is joined by concatenation. Nothing in a prompt, a directive or a conversation is ever interpreted as a pattern.

use std::fmt::Write as _;

use super::Profile;

/// Asks for a summary of one piece of a conversation that is too long (COMP-12).
pub const CHUNK: &str = include_str!("prompts/chunk.md");

/// The text around the caller's retain prompt, which explains the `<retain>` section.
const RETAIN_FRAME: &str = include_str!("prompts/retain.md");

/// What to retain if only retain directives are given.
const RETAIN_DEFAULT: &str = include_str!("prompts/retain_default.md");

/// The parts of the final user message of a summary request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Instructions<'a> {
    /// The profile, which supplies the prompt and the tags.
    pub profile: Profile,
    /// The caller's summary prompt; `None`: the profile's.
    pub summary_prompt: Option<&'a str>,
    /// Appended to the summary prompt as bullets.
    pub summary_directives: &'a [String],
    /// What the `<retain>` section must hold. If this is `None` and there are no retain directives, no such section is asked for.
    pub retain_prompt: Option<&'a str>,
    /// Appended to the retain prompt as bullets.
    pub retain_directives: &'a [String],
    /// The language to write in, by name or tag; `None`: the conversation's.
    pub language: Option<&'a str>,
    /// The most tokens that the answer should have.
    pub size: Option<u64>,
}

impl Instructions<'_> {
    /// Returns the final user message of a summary request: the retain instructions, then those for the summary.
    pub fn compose(&self) -> String {
        let mut out = String::new();
        let retains = self.retain_prompt.is_some_and(|p| !p.trim().is_empty());
        if retains || !self.retain_directives.is_empty() {
            out.push_str(RETAIN_FRAME.trim_end());
            out.push_str("\n\n");
            out.push_str(self.retain_prompt.filter(|_| retains).unwrap_or(RETAIN_DEFAULT).trim_end());
            push_bullets(&mut out, self.retain_directives);
            out.push_str("\n\n---\n\n");
        }
        let prompt = self.summary_prompt.unwrap_or(self.profile.prompt()).trim_end();
        out.push_str(prompt);
        // A custom prompt gets no size added.
        if let Some(size) = self.size.filter(|_| self.summary_prompt.is_none()) {
            let _ = write!(out, "\n\nWrite at most {size} tokens: about {} words.", size * 3 / 4);
        }
        push_bullets(&mut out, self.summary_directives);
        if let Some(language) = self.language {
            let _ = write!(out, "\n\nWrite in this language: {language}.");
        }
        if let Some(tags) = self.profile.missing_tags(prompt) {
            out.push_str("\n\n");
            out.push_str(tags);
        }
        out
    }
}

/// Appends a blank line and one bullet per directive. Further lines of a directive are indented under its bullet.
fn push_bullets(out: &mut String, directives: &[String]) {
    for (i, directive) in directives.iter().map(|d| d.trim()).filter(|d| !d.is_empty()).enumerate() {
        out.push_str(if i == 0 { "\n\n- " } else { "\n- " });
        for (j, line) in directive.lines().enumerate() {
            if j > 0 {
                out.push_str("\n  ");
            }
            out.push_str(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(of: &[&str]) -> Vec<String> {
        of.iter().map(|s| (*s).to_owned()).collect()
    }

    #[test]
    fn the_default_asks_only_for_the_summary() {
        let text = Instructions::default().compose();
        assert_eq!(text, Profile::Default.prompt());
        assert!(text.contains("<summary>") && !text.contains("<retain>"));
    }

    #[test]
    fn directives_are_appended_and_replace_nothing() {
        let directives = list(&["Keep ticket numbers.", "  ", "Name the branch\nand its base."]);
        let text = Instructions { summary_directives: &directives, ..Default::default() }.compose();
        assert!(text.starts_with(Profile::Default.prompt()));
        assert!(text.ends_with("\n\n- Keep ticket numbers.\n- Name the branch\n  and its base."));
    }

    #[test]
    fn retain_comes_first_with_its_own_bullets() {
        let (retain, summary) = (list(&["refs"]), list(&["tests"]));
        let text = Instructions {
            retain_prompt: Some("Every promise."),
            retain_directives: &retain,
            summary_directives: &summary,
            ..Default::default()
        }
        .compose();
        let at = |needle: &str| text.find(needle).unwrap();
        assert!(at("<retain>") < at("Every promise.\n\n- refs\n\n---\n\n"));
        assert!(at("- refs") < at("1. Task") && at("1. Task") < at("- tests"));
    }

    #[test]
    fn retain_directives_alone_request_the_section() {
        let retain = list(&["the build number"]);
        let text = Instructions { retain_directives: &retain, ..Default::default() }.compose();
        assert!(text.contains("<retain>") && text.contains(RETAIN_DEFAULT.trim_end()));
    }

    #[test]
    fn a_profile_asks_for_its_own_tags() {
        let of = |summary_prompt| {
            Instructions { profile: Profile::Design, summary_prompt, ..Default::default() }.compose()
        };
        assert_eq!(of(None), Profile::Design.prompt());
        assert!(of(Some("Sum up.")).ends_with("<compact_summary> and </compact_summary>, each tag once."));
    }

    #[test]
    fn a_custom_prompt_without_tags_gets_them_and_nothing_is_substituted() {
        let directives = list(&["price is $& and {summary} and \\1"]);
        let text = Instructions {
            summary_prompt: Some("Sum up. $' $1"),
            summary_directives: &directives,
            language: Some("日本語"),
            ..Default::default()
        }
        .compose();
        assert!(text.starts_with("Sum up. $' $1\n\n- price is $& and {summary} and \\1\n\n"));
        assert!(
            text.contains("Write in this language: 日本語.") && text.ends_with("</summary>, each tag once.")
        );
    }
}
