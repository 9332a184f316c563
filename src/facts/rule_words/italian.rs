use super::language::Language;

pub(in crate::facts) const ITALIAN: Language = Language {
    softeners: "per favore cortesia piacere e ma importante attenzione ricorda ok inoltre anche allora poi nota \
        regola please",
    orders: "rispondi risponda usa usi utilizza scrivi scriva chiedi chieda esegui controlla verifica fai \
        mantieni segui lavora parla consulta prova testa leggi avvisa conferma rispetta evita lascia preferisci \
        assicurati documenta commenta spiega metti aggiungi formatta salva aggiorna crea limita tratta traduci \
        aspetta attendi informa dimmi cita rispondete usate scrivete chiedete",
    bans: "*are *ere *ire *urre *orre *arlo *arla *arli *arle *erlo *erla *erli *erle *irlo *irla *irli *armi \
        *ermi *arti *arci *arne tocchi usi modifichi cancelli elimini faccia cambi toccate usate modificate \
        cancellate fate",
    endings: "",
    except: "*ware essere potere sapere there were where here",
    always: "sempre mai",
    only: "solo soltanto solamente esclusivamente unicamente",
    subordinating: "che perche quando se dove come",
    rules: "~ =non !, ~ =non lo !, ~ =non la !, ~ =non li !, ~ =non le !, ~ =non mi !, ~ =non ci !, ^ =mai !, \
        ^ =sempre !, ^ =sempre %, ^ % ... ~ =mai, non =devi, non =puoi, =devi, non si =deve, non si =devono, \
        e =vietato, e =vietata, sono =vietati, sono =vietate, ^ =vietato, in =nessun caso, per =nessun motivo, \
        per =nessuna ragione, d ora in =poi, da ora in =poi, da adesso in =poi, da ora in =avanti, \
        senza =eccezioni, senza =eccezione, non =voglio, e =obbligatorio, ~ =non va *ato, ~ =non va *ata, ~ =non vanno *ati, ~ =non vanno *ate, \
        giu le =mani, ^ lascia .. in =pace",
    revoking: "adesso =puoi, ora =puoi, non =devi piu, non serve =piu che, dimentica =quello che, \
        dimentica la =regola",
    modals: "=deve, =devono",
    speakers: "isso credo penso se io noi ci questo",
    wishes: "=chiedimi, =chiedetemi, ^ chiedi .. =prima, ^ chieda .. =prima, =avvisami prima, \
        ^ =prima di ... ~ %, ^ =prima di ... ~ chiedimi, ^ % ... =prima di, ^ % ... dopo =ogni, senza =chiedere, \
        senza =chiedermi, mio =permesso, mio =consenso, mia =approvazione, mia =autorizzazione, mia =conferma, \
        senza il mio =ok, rispond* .. in =#, parla* .. in =#, commenti .. in =#, ^ tutto .. in =#, \
        ^ tutti .. in =#, ^ tutte .. in =#, ^ in =# $, ^ in =# per favore, =assicurati, si =assicuri, ^ =evita, \
        ^ =evitate, ^ =preferisci, =ricordati, ^ ricorda =di, ^ ricorda =che, =dovresti, =preferirei, \
        ^ tratta .. =come, in caso di =dubbio, nel =dubbio, ^ =smetti di, ^ fai in =modo, voglio =che, ^ prima di =ogni _ !, ^ dopo =ogni _ %, ^ dopo =ogni _ !, \
        ^ test =solo con, ^ i test =solo con, messaggi di commit .. in =#, ^ i commit .. in =#, \
        ^ risposte in =#, rispondo =solo io, decido =solo io, ^ =niente va *ato",
    pointing: "~ non lo, ~ non la, ~ non li, ~ non *rlo, ~ non *rla, ~ non *rli, ~ non *rle, ~ non *rci",
    bars: "niente nessun nessuna zero",
    small_talk: "problema problemi errore errori idea male dubbio da di paura risposta altro funziona panico \
        che",
    reports: "=deve essere un, =deve essere una, =deve essere il, =deve esserci, =deve aver, =deve avere",
};
