use super::language::Language;

pub(in crate::facts) const PORTUGUESE: Language = Language {
    softeners: "por favor e mas importante atencao lembre ok tambem alem disso entao nota regra please pf pfv",
    orders: "responda responde use usa utilize utiliza escreva escreve pergunte pergunta execute verifique faca \
        mantenha siga trabalhe fale fala consulte peca rode teste revise leia avise confirme respeite evite deixe \
        prefira garanta certifique documente comente explique coloque adicione formate salve atualize crie limite \
        trate traduza espere informe diga cite",
    bans: "toque+ mexa+ use+ utilize+ faca+ apague+ altere+ delete+ commite+ modifique+ mude+ edite+ escreva+ \
        instale+ adicione+ remova+ execute+ rode+ envie+ suba+ publique+ crie+ mova+ renomeie+ esqueca+ invente+ \
        diga+ coloque+ responda+ assuma+ traduza+ abra+ feche+ quebre+ reescreva+ refatore+ deixe+ inclua+ \
        pergunte+ fale+ compartilhe+ exponha+ gere+ exclua+ sobrescreva+ reinicie+ elimine+ toques",
    endings: "s m",
    except: "ser estar haver poder saber",
    always: "sempre nunca jamais",
    only: "so somente apenas unicamente exclusivamente",
    subordinating: "que porque quando se onde como",
    rules: "~ =nao !, ~ =nao o !, ~ =nao a !, ~ =nao os !, ~ =nao as !, ~ =nao me !, ~ =nao se !, =nunca !, \
        =jamais !, =nunca o !, =nunca a !, =nunca me !, ^ =nunca *ar, ^ =nunca *er, ^ =nunca *ir, ^ =jamais *ar, \
        ^ =jamais *er, ^ =jamais *ir, ^ =nao *ar, ^ =nao *er, ^ =nao *ir, ^ =sempre %, ^ % ... ~ =nunca, \
        ^ % ... ~ =jamais, ^ =sempre *ar, ^ =sempre *er, ^ =sempre *ir, nao =deves, voce nao =pode, \
        voces nao =podem, nao =podes, voce =deve, =deves, voce =tem que, =tens de, =tens que, e =proibido, \
        e =proibida, sao =proibidos, sao =proibidas, esta =proibido, ^ =proibido, em =hipotese alguma, \
        em =hipotese nenhuma, de jeito =nenhum, em =nenhuma circunstancia, sob =nenhuma circunstancia, \
        em caso =algum, a partir de =agora, de =agora em diante, daqui em =diante, daqui para =frente, \
        sem =excecao, sem =excecoes, nao =quero, e =obrigatorio, sao =obrigatorios, tire as =maos, tira as =maos, ^ deixe .. em =paz",
    revoking: "agora voce =pode, agora =podes, ja =podes, nao precisa =mais, esqueca o =que, esqueca a =regra",
    modals: "=deve, =devem, =tem que",
    speakers: "credo acho creio se eu nos isso ele ela",
    wishes: "me =pergunte, =pergunte me, me =consulte, me =avise antes, ^ pergunte .. =antes, \
        ^ pergunta .. =antes, ^ =nada de _, ^ =antes de ... ~ %, ^ =antes de ... ~ me pergunte, \
        ^ % ... =antes de, ^ % ... apos =cada, sem =perguntar, sem me =perguntar, sem me =consultar, \
        minha =permissao, minha =aprovacao, minha =autorizacao, meu =consentimento, meu =ok, respond* .. em =#, \
        fal* .. em =#, comentarios .. em =#, ^ todo .. em =#, ^ todos .. em =#, ^ todas .. em =#, ^ em =# $, \
        ^ em =# por favor, =certifique se, certifica =te, ^ =garanta, ^ =evite, ^ =evita, ^ =prefira, \
        lembre se =de, lembre se =que, voce =deveria, =deverias, =preferiria, prefiro =que, ^ trate .. =como, \
        em caso de =duda, em caso de =duvida, na =duvida, ^ =pare de, quero =que, ^ cada .. =precisa, ^ antes de =cada _ *ar, ^ antes de =cada _ *er, ^ apos =cada _ %, \
        ^ apos =cada _ *ar, ^ testes =so com, ^ os testes =so com, ^ testes =apenas com, mensagens de commit .. em =#, \
         ^ commits .. em =#, ^ os commits .. em =#, ^ respostas em =#, \
        so eu =respondo, so eu =decido",
    pointing: "nao o !, nao a !, nao os !, nao as !, nunca o !, nunca a !, ! nele, ! nela, ! neles, ! nelas, \
        ! nisso",
    bars: "nenhum nenhuma zero sem",
    small_talk: "problema problemas duvida duvidas erro ideia resposta sucesso querer mais que funciona nada",
    reports: "=deve haver, =deve ser um, =deve ser uma, =deve ser o, =deve estar, =deve ter, tem que =haver, \
        tem que =ser um, nada de =nada, pode =ver",
};
