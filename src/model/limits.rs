/// How much a model takes in and returns, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelLimits {
    /// The largest input.
    pub max_input_tokens: u64,
    /// Input and output together, if the source states it.
    pub context_window: Option<u64>,
    /// The largest output, if the source states it.
    pub max_output_tokens: Option<u64>,
}

impl ModelLimits {
    /// The context window. If the source states none: the largest input, which is the same for most models.
    pub fn window(&self) -> u64 {
        self.context_window.unwrap_or(self.max_input_tokens)
    }

    /// The tokens a view may have if `reserved_output` tokens are kept free for the answer.
    pub fn limit(&self, reserved_output: u64) -> u64 {
        limit(Some(self.max_input_tokens), self.window(), reserved_output)
    }
}

/// min(max input, window − reserved output), at least 0.
///
/// Some sources have already subtracted the output from the largest input and some have not. So the reserve is subtracted
/// from the window only, and never twice.
pub fn limit(max_input: Option<u64>, window: u64, reserved_output: u64) -> u64 {
    let rest = window.saturating_sub(reserved_output);
    max_input.map_or(rest, |most| most.min(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_reserve_is_never_subtracted_twice() {
        let gpt5 = ModelLimits {
            max_input_tokens: 272_000,
            context_window: Some(400_000),
            max_output_tokens: Some(128_000),
        };
        assert_eq!([gpt5.limit(0), gpt5.limit(128_000), gpt5.limit(150_000)], [272_000, 272_000, 250_000]);
        let gpt4o = ModelLimits {
            max_input_tokens: 128_000,
            context_window: Some(128_000),
            max_output_tokens: Some(16_384),
        };
        assert_eq!([gpt4o.limit(0), gpt4o.limit(16_384), gpt4o.limit(200_000)], [128_000, 111_616, 0]);
        assert_eq!(limit(None, 100, 30), 70);
        let silent = ModelLimits { max_input_tokens: 1000, context_window: None, max_output_tokens: None };
        assert_eq!(silent.limit(100), 900);
    }
}
