use super::language::Language;

pub(in crate::facts) const ITALIAN: Language = Language {
    softeners: "per favore cortesia piacere e ma importante attenzione ricorda ok inoltre anche allora poi nota \
        regola please",
    orders: "rispondi risponda usa usi utilizza scrivi scriva chiedi chieda esegui controlla verifica fai \
        mantieni segui lavora parla consulta prova testa leggi avvisa conferma rispetta evita lascia preferisci \
        assicurati documenta commenta spiega metti aggiungi formatta salva aggiorna crea limita tratta traduci \
        aspetta attendi chiama chiami prenota prenoti invia invii ordina paga paghi spedisci annulla invita \
        compra vendi offri informa dimmi cita rispondete usate scrivete chiedete",
    bans: "*are *ere *ire *urre *orre *arlo *arla *arli *arle *erlo *erla *erli *erle *irlo *irla *irli *armi \
        *ermi *arti *arci *arne tocchi usi modifichi cancelli elimini faccia cambi toccate usate modificate \
        cancellate fate",
    endings: "",
    except: "*ware essere potere sapere there were where here",
    always: "sempre mai",
    only: "solo soltanto solamente esclusivamente unicamente",
    subordinating: "che perche quando se dove come",
    rules: "~ =non !, ~ =non lo|la|li|le|mi|ci !, ^ =mai !, ^ =sempre !|%, ^ % ... ~ =mai, non =puoi|voglio, =devi, \
        non si =deve|devono, e =vietato|vietata|obbligatorio, sono =vietati|vietate, ^ =vietato, in =nessun caso, \
        per =nessun|nessuna motivo|ragione, d|da ora|adesso in =poi|avanti, senza =eccezioni|eccezione, \
        ~ =non va|vanno *ato|*ata|*ati|*ate, giu le =mani, ^ lascia .. in =pace, \
        non =vale|valgono piu, non si =applica piu, puoi .. di =nuovo, adesso|ora =puoi, non =devi piu, non serve =piu che, dimentica =quello che, dimentica la =regola, \
        ^ ogni =volta che ... ~ avvisami|chiedimi|dimmi, \
        ^ =nessun|nessuna .. senza .. conferma|approvazione|consenso|autorizzazione, \
        =chiedimi|chiedetemi, =assicurati|ricordati, =dovresti|preferirei, ^ chiedi|chieda .. =prima, \
        =avvisami prima, ^ =prima di ... ~ %, ^ =prima di ... ~ chiedimi, ^ % ... =prima di, ^ % ... dopo =ogni, \
        senza =chiedere|chiedermi, mio =permesso|consenso, mia =approvazione|autorizzazione|conferma, \
        senza il mio =ok, rispond*|parla*|commenti .. in =#, ^ tutto|tutti|tutte .. in =#, ^ in =# $, \
        ^ in =# per favore, si =assicuri, ^ =evita|evitate|preferisci, ^ ricorda =di|che, ^ tratta .. =come, \
        in caso di =dubbio, nel =dubbio, ^ =smetti di, ^ fai in =modo, voglio =che, ^ prima di =ogni _ !, \
        ^ dopo =ogni _ %|!, ^ test =solo con, ^ i test =solo con, messaggi di commit .. in =#, ^ i commit .. in =#, \
        ^ risposte in =#, rispondo|decido =solo io, ^ =niente va *ato",
    modals: "=deve|devono",
    speakers: "isso credo penso se io noi ci questo",
    pointing: "~ non lo|la|li|*rlo|*rla|*rli|*rle|*rci",
    lacking: "non .. ricordo|trovo, non ho il|la",
    bars: "niente nessun nessuna zero",
    small_talk: "problema problemi errore errori idea male dubbio da di paura risposta altro funziona panico \
        che",
    reports: "=deve essere un|una|il, =deve esserci|aver|avere",
};
