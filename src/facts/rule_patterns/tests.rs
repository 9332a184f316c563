use super::super::rule_words::{WORD_RULES_BIT, rule_languages};
use super::super::{Strength, constraints};
use super::*;

mod said_otherwise;

/// The classification of each sentence, alone and among others.
fn of(text: &str) -> Vec<(&str, Strength)> {
    constraints(text).into_iter().map(|c| (c.text, c.strength)).collect()
}

fn are(strength: Strength, sentences: &[&str]) {
    for text in sentences {
        assert_eq!(of(text), [(*text, strength)], "{text}");
    }
}

fn are_no_rules(sentences: &[&str]) {
    for text in sentences {
        assert_eq!(of(text), [], "{text}");
    }
}

#[test]
fn every_pattern_is_searched_for_by_its_marked_word() {
    for (at, language) in LANGUAGES.iter().enumerate() {
        let Language { rules, revoking, modals, wishes, .. } = language;
        for pattern in [rules, revoking, modals, wishes].into_iter().flat_map(|list| list.split(',')) {
            let pattern = pattern.trim();
            let marked: Vec<&str> = pattern.split(' ').filter_map(|word| word.strip_prefix('=')).collect();
            assert_eq!(marked.len(), usize::from(!pattern.is_empty()), "{pattern}");
            for word in marked {
                let word = if word == "#" { "deutsch" } else { word };
                assert!(rule_languages(word) >> at & 1 == 1, "{pattern}");
                let mut found = false;
                patterns_at(word, &mut |p| found |= p.text == pattern && p.language == at);
                assert!(found && !word.contains(['*', '+', '%', '!']), "{pattern}");
            }
        }
    }
}

#[test]
fn trigger_words_match_with_or_without_accents_and_after_an_apostrophe() {
    for (text, language) in
        [("Réponds TOUJOURS", 2), ("n’utilise PAS", 2), ("SÓLO", 3), ("fu\u{308}r, künftig", 1)]
    {
        assert!(rule_languages(text) >> language & 1 == 1, "{text}");
    }
    assert_eq!(rule_languages("don't") & WORD_RULES_BIT, WORD_RULES_BIT);
    assert_eq!(rule_languages("don’t") & WORD_RULES_BIT, WORD_RULES_BIT);
    assert_eq!(rule_languages("The mustard tastes of neverland."), 0);
}

#[test]
fn english_rules_in_other_shapes() {
    are(
        Strength::Rule,
        &[
            "Nobody deploys on Fridays.", "Without exception: no force pushes.",
            "Whatever you do, keep the lock file.",
        ],
    );
    are(
        Strength::Wish,
        &[
            "Commit messages should follow Conventional Commits.",
            "Every function needs a docstring.",
            "I'd rather you didn't use lodash.",
            "Please remember: the API key lives in vault/kv/app.",
            "If in doubt, ask.",
            "Treat warnings as errors.",
            "Secrets go in Vault, not in .env.",
            "All code comments in German, please.",
            "Production is mine; you work on staging.",
            "Anything destructive needs my approval.",
            "Get my approval before deleting files.",
            "Run the linter before every commit.",
            "Before deleting anything, ask.",
            "Whenever you change the schema, write a migration.",
        ],
    );
    are_no_rules(&[
        "Every time I run this it needs a restart.",
        "All I need is a quick fix.",
        "This should fix it.",
        "The button should be blue.",
        "So actually, this should work!",
        "Nobody knows why it fails.",
        "That mistake is mine.",
        "My confirmation number is 4OG6T3.",
        "What should I do?",
        "Remember when we fixed this?",
        "I run it before every commit and it fails.",
        "Before updating everything worked.",
        "Each run takes 5 minutes.",
        "Any help is appreciated.",
        "It goes to 404 after login.",
    ]);
}

#[test]
fn german() {
    are(
        Strength::Rule,
        &[
            "Antworte immer auf Deutsch.",
            "Fass niemals die Produktionsdatenbank an!",
            "Du darfst nie direkt auf main pushen.",
            "NIEMALS auf main pushen!",
            "Verwenden Sie niemals npm.",
            "Nicht den Lockfile ändern.",
            "Die Datei config.yaml darf nicht geändert werden.",
            "Tests müssen immer grün sein.",
            "Aendere die Datei nicht.",
            "Ändere bitte nicht die öffentliche API.",
            "Unter keinen Umständen Daten löschen.",
            "Force-Pushes sind verboten.",
            "Nutze pnpm, nie npm.",
            "Du musst die Tests nicht mehr laufen lassen.",
        ],
    );
    are(
        Strength::Wish,
        &[
            "Frag mich, bevor du etwas löschst.",
            "Wenn du unsicher bist, frag mich.",
            "Bitte keine neuen Abhängigkeiten.",
            "Bitte nutze nur pnpm.",
            "Kommentare bitte auf Englisch.",
            "Stell sicher, dass die Tests durchlaufen.",
        ],
    );
    are_no_rules(&[
        "Das hat nie funktioniert.",
        "Ich bekomme immer diesen Fehler.",
        "Bekomme immer diesen Fehler.",
        "Es funktioniert immer noch nicht.",
        "Keine Ahnung.",
        "Keine Datei gefunden.",
        "Nicht gefunden.",
        "Mach dir keine Sorgen.",
        "Ich frag mich, warum das so ist.",
        "Ich muss jetzt weg.",
        "Es muss am Cache liegen.",
        "Test funktioniert nicht.",
        "Schau warum das nicht geht",
        "Repariere den Test, der immer fehlschlägt.",
        "Nur der Header ist falsch.",
        "Bevor ich das Update installiert habe, lief alles.",
    ]);
}

#[test]
fn french() {
    are(
        Strength::Rule,
        &[
            "Ne touche jamais au serveur de production.",
            "Réponds toujours en français.",
            "Reponds toujours en francais.",
            "N’utilise pas lodash.",
            "S'il te plaît, ne modifie pas les tests.",
            "Ne pas modifier le fichier config.yaml.",
            "Touche pas à la prod.",
            "Utilisez toujours pnpm.",
            "Tu ne dois jamais pousser sur main.",
            "Les tests doivent passer.",
            "En aucun cas tu ne supprimes des données.",
        ],
    );
    are(
        Strength::Wish,
        &[
            "Demande-moi avant de supprimer quoi que ce soit.",
            "Avant de supprimer un fichier, demande-moi.",
            "Pas de nouvelles dépendances, s'il te plaît.",
            "Utilise uniquement la bibliothèque standard.",
            "Lance les tests avant chaque commit.",
        ],
    );
    are_no_rules(&[
        "Ça ne marche pas.",
        "Ne marche toujours pas.",
        "J'ai toujours cette erreur.",
        "Je n'ai jamais réussi à lancer le serveur.",
        "Pas de problème.",
        "Aucune idée.",
        "Il n'y a pas de fichier.",
        "Vous ne comprenez pas.",
        "Ça doit être le cache.",
        "Je dois partir.",
        "Corrige le bug qui ne marche pas.",
        "Vérifie que le test ne casse pas.",
        "Toujours la même erreur.",
    ]);
}

#[test]
fn spanish() {
    are(
        Strength::Rule,
        &[
            "Responde siempre en español.", "Jamás borres la base de datos.",
            "No toques el servidor de producción.", "No lo borres sin mi permiso.",
            "No tocar el archivo config.yaml.", "Siempre usa pnpm.", "No debes tocar producción.",
            "Los tests deben pasar siempre.", "Está prohibido hacer push a main.",
        ],
    );
    are(
        Strength::Wish,
        &[
            "Pregúntame antes de borrar algo.", "Nada de dependencias nuevas.",
            "Sin dependencias nuevas, por favor.", "Usa solo la biblioteca estándar.",
            "Comentarios en inglés, por favor.",
        ],
    );
    are_no_rules(&[
        "No funciona.", "No hay problema.", "Siempre me da este error.", "Nunca funcionó.",
        "No sé si deben pasar los tests.", "Debe haber un error en el código.",
        "Sin embargo, el test falla.", "Corrige el bug que siempre aparece.",
        "Antes de actualizar todo funcionaba.", "Tengo que irme.", "Nada de nada.",
    ]);
    assert_eq!(of("No further requests pending from user; awaiting next instruction."), []);
}

#[test]
fn italian() {
    are(
        Strength::Rule,
        &[
            "Rispondi sempre in italiano.",
            "Non toccare mai il database di produzione.",
            "Non modificarlo senza il mio permesso.",
            "Mai toccare la produzione.",
            "Devi eseguire i test prima di ogni commit.",
            "È vietato fare push su main.",
            "D'ora in poi commenti in inglese.",
        ],
    );
    are(
        Strength::Wish,
        &[
            "Chiedimi prima di cancellare qualcosa.", "Per favore, niente nuove dipendenze.",
            "Usa solo la libreria standard.",
        ],
    );
    are_no_rules(&[
        "Non funziona.", "Ricevo sempre questo errore.", "Non ha mai funzionato.",
        "Non riesco ad avviare il server.", "Non posso usare il server.", "Nessun problema.",
        "Deve essere un problema di cache.", "Credo che deve essere la cache.", "Sempre lo stesso errore.",
        "Correggi il bug che appare sempre.", "Prima di aggiornare funzionava tutto.",
    ]);
}

#[test]
fn portuguese() {
    are(
        Strength::Rule,
        &[
            "Responda sempre em português.", "Nunca apague o banco de dados.",
            "Não mexa no servidor de produção.", "Nao use lodash.", "Sempre use pnpm.",
            "Você não deve tocar na produção.", "É proibido fazer push para main.",
            "Os testes devem passar sempre.",
        ],
    );
    are(
        Strength::Wish,
        &[
            "Pergunte antes de apagar qualquer coisa.",
            "Nada de novas dependências.",
            "Sem novas dependências, por favor.",
            "Use apenas a biblioteca padrão.",
        ],
    );
    are_no_rules(&[
        "Não funciona.", "Sempre dá esse erro.", "Nunca funcionou.", "Sem problemas!",
        "Deve ser um problema de cache.", "Não consigo rodar o servidor.", "Isso não deve acontecer.",
        "Corrija o bug que sempre aparece.", "Tenho que ir.",
    ]);
}

#[test]
fn russian() {
    are(
        Strength::Rule,
        &[
            "Никогда не трогай прод.",
            "Всегда отвечай на русском.",
            "НЕ ТРОГАЙ ПРОД",
            "Пожалуйста, не трогай конфиг.",
            "Не трогать файл config.yaml!",
            "Нельзя пушить в main.",
            "Все тесты должны проходить.",
            "Ни в коем случае не удаляй данные.",
            "Используйте всегда pnpm.",
        ],
    );
    are(
        Strength::Wish,
        &[
            "Спроси меня, прежде чем что-то удалять.",
            "Никаких новых зависимостей.",
            "Используй только стандартную библиотеку.",
            "Пиши комментарии на английском.",
        ],
    );
    are_no_rules(&[
        "Никогда не работало.",
        "Всегда выдаёт ошибку.",
        "Я всегда получаю эту ошибку.",
        "Не понимаю, почему.",
        "Не могли бы вы исправить баг?",
        "Без проблем.",
        "Должно быть, дело в кэше.",
        "Я должен идти.",
        "Не удалось найти файл.",
        "Исправь ошибку, которая всегда появляется.",
        "Не хватает памяти.",
    ]);
}

#[test]
fn a_question_is_not_a_rule() {
    are_no_rules(&["Darfst du das nie?", "Tu dois le faire ?", "¿No debes tocarlo?", "Нельзя ли иначе?"]);
}

#[test]
fn a_rule_keeps_the_sentence_it_refers_to() {
    for text in [
        "Die Datei config/prod.yaml ist heilig. Fass sie nicht an.",
        "Le fichier a.yaml est sacré. Ne le touche jamais.",
        "El archivo a.yaml es sagrado. No lo toques.",
        "Il file a.yaml è sacro. Non toccarlo.",
        "O arquivo a.yaml é sagrado. Não mexa nele.",
        "Файл a.yaml священный. Не трогай его.",
    ] {
        assert_eq!(of(text), [(text, Strength::Rule)]);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_classified(text in "\\PC{0,60}|([a-zäéñ'’,.: ]|nie|no|non|ne|не|always|immer|=|#|%){0,40}") {
        // `rule_languages` must not miss a rule.
        let found = classify_rule(&text).is_some();
        proptest::prop_assert!(!found || rule_languages(&text) & (WORD_RULES_BIT - 1) != 0);
    }
}
