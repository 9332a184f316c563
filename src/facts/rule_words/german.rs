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
        tue pack+ druck+ stopp+ behandle nenn+ benenn+",
    bans: "*en *ern *eln",
    endings: "e",
    except: "*ungen ge* bekommen begonnen behoben betroffen behalten vorhanden worden wurden waren konnten sollten haben \
        fehlgeschlagen erschienen erhalten angekommen angezeigt aufgerufen verschwunden uebernommen verstanden \
        werden koennen sollen muessen duerfen wollen",
    always: "nie niemals immer stets ausnahmslos keinesfalls nicht keine keinen kein keinerlei nichts",
    only: "nur ausschliesslich lediglich",
    subordinating: "warum wieso weshalb wenn falls dass ob was wo wie weil damit bis",
    rules: "^ *en sie .. =nie, ^ *en sie .. =niemals, ^ *en sie .. =immer, ^ *en sie .. =stets, \
        ^ *en sie .. =nicht, ^ *en sie .. =keine, ^ *en sie .. =keinen, ^ *en sie .. =kein, ^ =nie ... ! $, \
        ^ =niemals ... ! $, ^ =immer ... ! $, ^ =nicht ... ! $, ^ =immer %, ^ =niemals %, ^ =nie %, \
        du =darfst .. nie, du =darfst .. niemals, du =darfst .. nicht, du =darfst .. kein*, du =darfst .. nur, \
        =darfst du .. nie, =darfst du .. nicht, =darfst du .. kein*, du =sollst .. nie, du =sollst .. niemals, \
        du =sollst .. nicht, du =sollst .. kein*, du =sollst .. nichts, du =musst, musst du .. =immer, sie =muessen .. immer, \
        sie =duerfen .. nicht, sie =duerfen .. nie, sie =duerfen .. kein*, auf =keinen fall, \
        unter =keinen umstaenden, in =keinem fall, ist =verboten, sind =verboten, streng =verboten, =untersagt, \
        ist =tabu, sind =tabu, ist =pflicht, sind =pflicht, nicht =erlaubt, nicht =gestattet, finger =weg, \
        haende =weg, ab =sofort, ab =jetzt, von =jetzt an, von =nun an, ohne =ausnahme, ich =will .. nicht, \
        ich =will .. kein*, ich =moechte .. nicht, ich =moechte .. kein*, nicht =vergessen, ^ % ... ~ =nie, \
        ^ % ... ~ =niemals, es =darf nichts, es =darf kein*, es =duerfen kein*, es =darf nicht .. werden, \
        lass+ .. =finger von, lassen sie .. =finger von, lass+ .. =haende von",
    revoking: "du =darfst jetzt, du =darfst wieder, du kannst =jetzt, =jetzt darfst du, du =musst .. nicht mehr, \
        vergiss =was ich, vergiss die =regel, ignorier+ =was ich",
    modals: "=darf .. nicht, =darf .. nie, =darf .. niemals, =darf .. kein*, =darf .. nur, =darf .. nichts, =duerfen .. nicht, \
        =duerfen .. nie, =duerfen .. niemals, =duerfen .. kein*, =duerfen .. nur, =muss, =muessen",
    speakers: "ich wir es das da man irgendwo irgendwas irgendetwas er wer warum wieso was ob denke glaube \
        irgendwie wohl",
    wishes: "~ =frag mich, ^ fragen sie =mich, ^ =frag .. vorher, ^ =frag .. zuerst, ^ =frag .. erst, \
        ^ =frag .. nach, ^ =frag ... bevor, ^ =bevor du, ^ =bevor sie ... ~ *en, ^ % ... =bevor du, \
        ^ % .. vor =jedem, ^ % .. vor =jeder, ^ % .. nach =jedem, ^ % .. nach =jeder, ohne zu =fragen, \
        ohne mich zu =fragen, ohne =rueckfrage, ohne =ruecksprache, mein* =freigabe, mein* =zustimmung, \
        mein* =genehmigung, mein* =erlaubnis, mein* =einverstaendnis, ohne mein =ok, ohne mein =okay, \
        antworte .. auf =#, antworten sie .. auf =#, sprich .. =#, rede .. =#, kommentare .. auf =#, ^ auf =# $, \
        ^ auf =# bitte, ^ alle* .. auf =#, ^ stell+ =sicher, ^ stellen sie =sicher, ^ achte =darauf, \
        ^ achten sie =darauf, ^ =halte, ^ =behalte, ^ =vermeide, ^ =vermeid, ^ =vermeiden sie, ^ verzichte .. =auf, du =solltest, \
        =kuenftig %, in =zukunft, ^ % .. =kuenftig, im =zweifel, ^ % ... ~ =nicht, ^ merk+ =dir, ^ denk+ =daran, \
        ^ denk+ =dran, ^ jed* .. =braucht, ^ hoer =auf, ich moechte =dass du, ich will =dass du, \
        mir waere =lieber, ich =moechte nur, ich =bevorzuge, ich =haette lieber, ^ behandl+ .. =als, ^ vor =jedem _ die ... ! $, ^ vor =jedem _ den ... ! $, \
        ^ vor =jedem _ das ... ! $, ^ vor =jedem _ alle ... ! $, ^ vor =jedem _ bitte ... ! $, \
        ^ vor =jeder _ die ... ! $, ^ vor =jeder _ den ... ! $, ^ vor =jeder _ das ... ! $, \
        ^ vor =jeder _ alle ... ! $, ^ nach =jedem _ die ... ! $, ^ nach =jedem _ den ... ! $, \
        ^ nach =jedem _ das ... ! $, ^ nach =jeder _ die ... ! $, ^ nach =jeder _ den ... ! $, \
        ^ tests laufen =nur mit, ^ tests laufen =nur ueber, ^ tests =nur mit, ^ tests =nur ueber, \
        ^ commits =nur mit, ^ commits =nur ueber, ^ deployments =nur ueber, ^ commit nachrichten .. auf =#, \
        ^ commit messages .. auf =#, ^ commits .. auf =#, ^ antworten auf =#, ^ antworten bitte auf =#, ^ doku auf =#, ^ doku bitte auf =#, \
        gebe =nur ich, mache =nur ich, entscheide =nur ich, beantworte =nur ich, deploye =nur ich, \
        pushe =nur ich, merge =nur ich, =nur ich darf, =nur ich entscheide, =nur ich deploye",
    pointing: "^ % sie, ^ % ihn, ^ % es, ^ % das nie, ^ % das nicht, ^ % das niemals, ^ % die nicht, \
        ^ % die nie",
    bars: "kein keine keinen keinerlei",
    small_talk: "ahnung sorge sorgen problem probleme zeit lust idee frage fragen fehler chance panik antwort \
        reaktion ausgabe verbindung meldung fehlermeldung unterschied wunder ergebnis ergebnisse aenderung \
        besserung stress eile ursache der von einzige einziger gefunden vorhanden laufen laeuft geht gibt ist \
        sind war waren hat haben wird werden kommt funktioniert",
    reports: "mach+ dir =keine, =gewesen sein, =worden sein, nur =wissen, nur =fragen, nur =kurz, nur =mal, immer =noch nicht, ich frag =mich, jedem _ die =gleichen, jeder _ die =gleichen, jedem _ die =selben",
};
