use super::language::Language;

pub(in crate::facts) const GERMAN: Language = Language {
    softeners: "bitte also und aber dann ok wichtig achtung nochmal uebrigens denn sonst regel please noch \
        ansonsten merke",
    orders: "fass+ ruehr+ antworte schreib+ nutz+ benutz+ verwend+ mach+ loesch+ aender+ veraender+ aendere \
        veraendere pushe committe commite deploye fuehr+ starte teste lass+ frag halt+ behalt+ pass+ achte pruef+ \
        erstell+ fueg+ entfern+ installier+ lies gib sprich rede nimm geh+ leg+ speicher+ speichere formatier+ \
        dokumentier+ kommentier+ uebersetz+ schick+ sende ueberschreib+ verschieb+ bearbeite ignorier+ vermeid+ \
        verzichte denk+ bleib+ sei stell+ setz+ refaktorier+ warte melde informier+ sag+ bestaetig+ zeig+ beginn+ \
        arbeite liefer+ liefere erfind+ oeffne beruehr+ modifizier+ vergiss merk+ beachte befolg+ hol+ trag+ tu \
        tue pack+ druck+ stopp+ behandle nenn+ benenn+ versprich ruf+ buch+ stornier+ ueberweis+ erstatte bestell+ zahl+ bezahl+ belaste weck+ plan+ park+ \
        rund+ duz+ siez+ gruess+ kauf+ verkauf+ reservier+ schlag+ kuendig+ akzeptier+ gewaehr+ biet+ berechne kontaktier+ verschick+ \
        empfiehl teil+ vereinbar+",
    bans: "*en *ern *eln",
    endings: "e",
    except: "*ungen ge* bekommen begonnen behoben betroffen behalten vorhanden worden wurden waren konnten sollten haben \
        fehlgeschlagen erschienen erhalten angekommen angezeigt aufgerufen verschwunden uebernommen verstanden \
        werden koennen sollen muessen duerfen wollen",
    always: "nie niemals immer stets ausnahmslos keinesfalls nicht keine keinen kein keinerlei nichts",
    only: "nur ausschliesslich lediglich hoechstens maximal",
    subordinating: "warum wieso weshalb wenn falls dass ob was wo wie weil damit bis",
    rules: "^ *en|*ern|*eln sie .. =nie|niemals|immer|stets|nicht|keine|keinen|kein, ^ =nie|niemals|immer|nicht ... ! $, \
        ^ =nie|niemals|immer %, du =darfst .. nie|niemals|nicht|kein*|nur, =darfst du .. nie|nicht|kein*, \
        du =sollst .. nie|niemals|nicht|kein*|nichts, du =musst, musst du .. =immer, sie =muessen .. immer, \
        sie =duerfen .. nicht|nie|kein*, auf =keinen fall, unter =keinen umstaenden, in =keinem fall, \
        ist|sind|streng =verboten, ist|sind =tabu|pflicht, =untersagt, nicht =erlaubt|gestattet|vergessen, \
        finger|haende =weg, ab =sofort|jetzt, von =jetzt|nun an, ohne =ausnahme, ich =will|moechte .. nicht|kein*, \
        ^ % ... ~ =nie|niemals, es =darf|duerfen nichts|kein*, es =darf nicht .. werden, lass+ .. =finger|haende von, \
        lassen sie .. =finger von, \
        =gilt|gelten .. nicht mehr, wieder =erlaubt|gestattet, =darfst du, du =darfst, \
        du =darfst jetzt|wieder, du kannst =jetzt, =jetzt darfst du, du =musst .. nicht mehr, \
        vergiss|ignorier+ =was ich, vergiss die =regel, \
        ^ jedes|jedesmal =mal wenn du ... ~ %, \
        ^ =kein|keine|keinen .. ohne .. freigabe|zustimmung|genehmigung|erlaubnis|ruecksprache, \
        brauchst du .. mein =ok|okay, \
        ~ =frag mich, ^ fragen sie =mich, ^ =frag .. vorher|zuerst|erst|nach, ^ =frag ... bevor, ^ =bevor du, \
        ^ =bevor sie ... ~ *en, ^ % ... =bevor du, ^ % .. vor|nach =jedem|jeder, ohne zu =fragen, \
        ohne mich zu =fragen, ohne =rueckfrage|ruecksprache, \
        mein* =freigabe|zustimmung|genehmigung|erlaubnis|einverstaendnis, ohne mein =ok|okay, \
        antworte|kommentare .. auf =#, antworten sie .. auf =#, sprich|rede .. =#, ^ auf =# $|bitte, \
        ^ alle*|commits .. auf =#, ^ stell+ =sicher, ^ stellen sie =sicher, ^ achte =darauf, ^ achten sie =darauf, \
        ^ =halte|behalte|vermeide|vermeid, ^ =vermeiden sie, ^ verzichte .. =auf, du =solltest, =kuenftig %, \
        in =zukunft, ^ % .. =kuenftig, im =zweifel, ^ % ... ~ =nicht, ^ merk+ =dir, ^ denk+ =daran|dran, \
        ^ jed* .. =braucht, ^ hoer =auf, ich moechte|will =dass du, mir waere =lieber, ich =moechte nur, \
        ich =bevorzuge, ich =haette lieber, ^ behandl+ .. =als, \
        ^ vor =jedem|jeder _ die|den|das|alle|bitte ... ! $, ^ nach =jedem|jeder _ die|den|das ... ! $, ^ tests laufen =nur mit|ueber, \
        ^ tests|commits|deployments =nur mit|ueber, ^ commit nachrichten|messages .. auf =#, ^ antworten|doku auf =#, \
        ^ antworten|doku bitte auf =#, gebe|mache|entscheide|beantworte|deploye|pushe|merge =nur ich, \
        =nur ich darf|entscheide|deploye",
    modals: "=darf|duerfen .. nicht|nie|niemals|kein*|nur|nichts, =muss|muessen",
    speakers: "ich wir es das da man irgendwo irgendwas irgendetwas er wer warum wieso was ob denke glaube \
        irgendwie wohl",
    pointing: "^ % sie|ihn|es, ^ % das nie|nicht|niemals, ^ % die nicht|nie",
    lacking: "ich .. hab* .. nicht dabei, ich .. hab* .. nicht zur hand, hab*|weiss ich .. nicht, ich .. hab* .. kein*, \
        ich .. weiss|erinner*|find* .. nicht, ich .. vergessen, keine ahnung",
    bars: "kein keine keinen keinerlei",
    small_talk: "ahnung sorge sorgen problem probleme zeit lust idee frage fragen fehler chance panik antwort \
        reaktion ausgabe verbindung meldung fehlermeldung unterschied wunder ergebnis ergebnisse aenderung \
        besserung stress eile ursache der von einzige einziger gefunden vorhanden laufen laeuft geht gibt ist \
        sind war waren hat haben wird werden kommt funktioniert",
    reports: "mach+ dir =keine, machen sie sich =keine, =gewesen|worden sein, nur =wissen|fragen|kurz|mal, immer =noch nicht, ich frag =mich, \
        jedem|jeder _ die =gleichen|selben",
};
