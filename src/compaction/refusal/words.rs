//! The words of refusals, by language.

/// The words of refusals in one language.
pub(super) struct Language {
    /// Expressions of refusing, separated by commas. A refusal contains one of them.
    pub refusing: &'static str,
    /// The only other words in a refusal, separated by blanks: they name help, the request or the summary itself. "I can't reproduce the
    /// crash" names something else and is information.
    pub words: &'static str,
    /// How polite sentences beside a refusal begin, separated by commas.
    pub polite_starts: &'static str,
}

pub(super) const ENGLISH: Language = Language {
    refusing: "can't, cannot, can not, unable, not able, won't, will not, must decline, have to decline, \
        don't have the ability, do not have the ability, not comfortable, don't feel comfortable, \
        decline to, prefer not",
    words: "i i'm am im sorry really very so apologize apologise my apologies afraid unfortunately but \
        however that this these those it its be to with in on of for about at from and or a an the any \
        such as you your me here now right time moment currently further more kind type sort specific \
        particular not can do don't does have feel ability must will able comfortable decline help \
        helping assist assisting assistance comply summarize summarise summarizing summarising provide \
        providing fulfill fulfil continue continuing engage engaging answer answering process processing \
        discuss discussing share sharing support write writing create creating generate generating \
        produce respond responding participate take part proceed complete handle request requests \
        requested conversation conversations topic topics question questions content summary summaries \
        transcript text message messages task tasks prompt instruction instructions information material \
        anything chat code because violates violate our policy policies guidelines may harmful \
        inappropriate would prefer something ai language large model assistant developed trained made \
        created by openai anthropic google no",
    polite_starts: "is there, i'm happy, i am happy, i'd be happy, i would be happy, i can help, i'm here, \
        i am here, let me know, please, feel free, if you, see http, see our, how can, how may, \
        what else, would you, can i, could you, instead, it goes against, this goes against, \
        that goes against, it violates, this violates, it would violate, my guidelines, thank, perhaps, \
        you may, you can",
};

pub(super) const GERMAN: Language = Language {
    refusing: "nicht, keine, kein",
    words: "es tut mir leid entschuldigung leider aber ich kann darf möchte werde bin in der lage dabei \
        damit dazu ihnen dir diese dieser diesem diesen das die den dem bei zu auf helfen weiterhelfen \
        behilflich sein beantworten erfüllen anfrage frage bitte zusammenfassung zusammenfassen gespräch \
        unterhaltung inhalt erstellen geben als ki sprachmodell",
    polite_starts: "kann ich, gibt es, wenn sie, wenn du, bitte, gerne",
};

pub(super) const FRENCH: Language = Language {
    refusing: "ne peux pas, ne peux, ne suis pas en mesure, ne puis",
    words: "je suis désolé désolée mais malheureusement ne peux puis pas en mesure de d vous t te \
        aider répondre à cette ce cela ça avec la le un une demande question résumé résumer conversation \
        fournir traiter poursuivre que tant ia",
    polite_starts: "puis-je, si vous, n'hésitez, y a-t-il",
};

pub(super) const SPANISH: Language = Language {
    refusing: "no puedo, no podré, no me es posible",
    words: "lo siento lamento disculpa disculpe pero lamentablemente no puedo podré me es posible ayudar \
        ayudarte ayudarle con eso esto esta este esa ese a la el un una de en responder solicitud \
        pregunta petición resumen resumir conversación cumplir proporcionar continuar como modelo \
        lenguaje ia",
    polite_starts: "¿, si necesitas, si necesita, por favor",
};

pub(super) const ITALIAN: Language = Language {
    refusing: "non posso, non sono in grado, non mi è possibile",
    words: "mi dispiace scusa scusi purtroppo ma non posso sono in grado di è possibile aiutarti aiutarla \
        aiutare con questa questo richiesta domanda a rispondere riassumere riassunto la il un \
        conversazione fornire continuare come ia",
    polite_starts: "posso, se hai, se ha, c'è",
};

pub(super) const PORTUGUESE: Language = Language {
    refusing: "não posso, não consigo, não é possível",
    words: "desculpe desculpa lamento sinto muito infelizmente mas não posso consigo é possível ajudar ajudá \
        lo la te com isso isto essa esse este esta a o um uma pedido solicitação pergunta responder \
        resumir resumo da conversa fornecer continuar eu",
    polite_starts: "posso, se precisar, há algo",
};

pub(super) const RUSSIAN: Language = Language {
    refusing: "не могу, не смогу, не в состоянии, невозможно",
    words: "извините простите к сожалению прошу прощения но я не могу смогу в состоянии невозможно помочь \
        вам тебе с этим этой этот это на запросом запрос просьбой вопрос ответить выполнить обобщить \
        резюме этого разговора разговор продолжить как ии",
    polite_starts: "могу ли, если, чем",
};

pub(super) const CHINESE: Language = Language {
    refusing: "无法, 無法, 不能, 没法, 没有办法, 没办法, 帮不了, 幫不了, 不便, 不方便",
    words: "非常抱歉 很抱歉 抱歉 对不起 對不起 作为 作為 人工智能 人工智慧 语言模型 語言模型 大 助手 ai 一个 \
        一個 我 无法 無法 不能 没法 没有办法 没办法 帮不了 幫不了 不方便 不便 回答 协助 協助 帮助 幫助 \
        帮 幫 提供 总结 總結 摘要 生成 处理 處理 满足 滿足 继续 繼續 参与 參與 讨论 討論 回应 回應 完成 \
        执行 執行 进行 進行 您 你 这个 這個 这段 這段 这些 這些 这样 這樣 此类 此類 该 該 此 这 這 请求 \
        請求 问题 問題 话题 話題 对话 對話 内容 內容 要求 任务 任務 任何 相关 相關 信息 資訊 的 为 為 与 \
        與 对 對",
    polite_starts: "如果, 请, 請, 您可以, 你可以, 有什么, 有什麼, 欢迎, 歡迎, 我可以, 还有, 還有",
};

pub(super) const JAPANESE: Language = Language {
    refusing: "できません, 出来ません, できかねます, いたしかねます, 致しかねます, お断り, かねます",
    words: "大変 申し訳ありませんが 申し訳ございませんが 申し訳ありません 申し訳ございません \
        申し訳ないですが すみませんが すみません すいません 恐れ入りますが 残念ながら できません \
        出来ません できかねます いたしかねます 致しかねます かねます お断りします お断りいたします \
        お断り その この ご要望 ご質問 質問 ご依頼 依頼 リクエスト 内容 会話 要約 お答え お応え 回答 \
        対応 お手伝い 提供 作成 生成 支援 サポート すること こと する には に は を の が も て 私 応じ \
        お",
    polite_starts: "他に, ほかに, 何か, もし, 別の",
};

pub(super) const KOREAN: Language = Language {
    refusing: "수없습니다, 못합니다, 불가능합니다, 어렵습니다",
    words: "죄송합니다만 죄송하지만 죄송합니다 미안하지만 수없습니다 못합니다 불가능합니다 어렵습니다 저는 \
        제가 도와드릴 도와줄 도울 답변드릴 답변할 답변 대답할 제공할 처리할 요약할 요약을 요약 요청을 \
        요청에 요청 질문에 질문 대화를 대화 내용을 내용 그 이 해당 대해 관해 드릴 할",
    polite_starts: "다른, 혹시, 무엇을",
};
