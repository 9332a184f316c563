use super::language::Language;

pub(in crate::facts) const PORTUGUESE: Language = Language {
    softeners: "por favor e mas importante atencao lembre ok tambem alem disso entao nota regra please pf pfv",
    orders: "responda responde use usa utilize utiliza escreva escreve pergunte pergunta execute verifique faca \
        mantenha siga trabalhe fale fala consulte peca rode teste revise leia avise confirme respeite evite deixe \
        prefira garanta certifique documente comente explique coloque adicione formate salve atualize crie limite \
        trate traduza espere ligue reserve envie pague cancele compre venda entregue convide cobre ofereca mande \
        informe diga cite",
    bans: "ligue+ reserve+ cobre+ cancele+ convide+ pague+ peca+ prometa+ ofereca+ reembolse+ compre+ venda+ aceite+ transfira+ \
        acorde+ contate+ entregue+ mande+ confirme+ toque+ mexa+ use+ utilize+ faca+ apague+ altere+ delete+ commite+ modifique+ mude+ edite+ escreva+ \
        instale+ adicione+ remova+ execute+ rode+ envie+ suba+ publique+ crie+ mova+ renomeie+ esqueca+ invente+ \
        diga+ coloque+ responda+ assuma+ traduza+ abra+ feche+ quebre+ reescreva+ refatore+ deixe+ inclua+ \
        pergunte+ fale+ compartilhe+ exponha+ gere+ exclua+ sobrescreva+ reinicie+ elimine+ toques",
    endings: "s m",
    except: "ser estar haver poder saber",
    always: "sempre nunca jamais",
    only: "so somente apenas unicamente exclusivamente",
    subordinating: "que porque quando se onde como",
    rules: "~ =nao !, ~ =nao o|a|os|as|me|se !, =nunca|jamais !, =nunca o|a|me !, \
        ^ =nunca|jamais|nao|sempre *ar|*er|*ir, ^ =sempre %, ^ % ... ~ =nunca|jamais, nao =podes|quero, voce =deve, \
        =deves, voce =tem que, =tens de|que, voce nao =pode, voces nao =podem, e =proibido|proibida|obrigatorio, \
        sao =proibidos|proibidas|obrigatorios, esta =proibido, ^ =proibido, em =hipotese alguma|nenhuma, \
        em|sob =nenhuma circunstancia, de jeito =nenhum, em caso =algum, a partir de =agora, de =agora em diante, \
        daqui em =diante, daqui para =frente, sem =excecao|excecoes, tire|tira as =maos, ^ deixe .. em =paz, \
        nao =vale mais, ja nao =vale, nao se =aplica mais, pode .. de =novo, agora voce =pode, agora|ja =podes, nao precisa =mais, esqueca o =que, esqueca a =regra, \
        ^ cada|toda =vez que ... ~ me|avise|pergunte, \
        ^ =nenhum|nenhuma .. sem .. confirmacao|aprovacao|autorizacao|permissao, \
        me =pergunte|consulte, =pergunte me, me =avise antes, ^ pergunte|pergunta .. =antes, ^ =nada de _, \
        ^ =antes de ... ~ %, ^ =antes de ... ~ me pergunte, ^ % ... =antes de, ^ % ... apos =cada, sem =perguntar, \
        sem me =perguntar|consultar, minha =permissao|aprovacao|autorizacao, meu =consentimento|ok, \
        respond*|fal*|comentarios .. em =#, ^ todo|todos|todas|commits .. em =#, ^ em =# $, ^ em =# por favor, \
        =certifique se, certifica =te, ^ =garanta|evite|evita|prefira, lembre se =de|que, voce =deveria, \
        =deverias|preferiria, prefiro|quero =que, ^ trate .. =como, em caso de =duda|duvida, na =duvida, ^ =pare de, \
        ^ cada .. =precisa, ^ antes de =cada _ *ar|*er, ^ apos =cada _ %|*ar, ^ testes =so|apenas com, \
        ^ os testes =so com, mensagens de commit .. em =#, ^ os commits .. em =#, ^ respostas em =#, \
        so eu =respondo|decido",
    modals: "=deve|devem, =tem que",
    speakers: "credo acho creio se eu nos isso ele ela",
    pointing: "nao o|a|os|as !, nunca o|a !, ! nele|nela|neles|nelas|nisso",
    lacking: "nao .. lembro|encontro, nao tenho o|a",
    bars: "nenhum nenhuma zero sem",
    small_talk: "problema problemas duvida duvidas erro ideia resposta sucesso querer mais que funciona nada",
    reports: "=deve haver|estar|ter, =deve ser um|uma|o, tem que =haver, tem que =ser um, nada de =nada, pode =ver",
};
