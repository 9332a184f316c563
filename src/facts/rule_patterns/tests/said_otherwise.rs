//! The same rules in forms without "never", "must" and "do not", and sentences that only look like rules.

use super::super::super::{Strength, constraints};

fn of(text: &str) -> Vec<(&str, Strength)> {
    constraints(text).into_iter().map(|c| (c.text, c.strength)).collect()
}

#[test]
fn prohibitions_with_nothing_and_nobody() {
    for text in [
        "Es darf nichts gelöscht werden.",
        "Es dürfen keine Daten verloren gehen.",
        "Hier darf nichts umbenannt werden.",
        "Lass die Finger von config/prod.yml.",
        "Lassen Sie bitte die Finger von der Produktion.",
        "Nothing may be deleted.",
        "Rien ne doit être supprimé.",
        "Bas les pattes de config/prod.yml.",
        "Laisse le fichier config.yaml tranquille.",
        "Ni se te ocurra tocar la rama main.",
        "Deja la rama main en paz.",
        "Non va cancellato nulla.",
        "Giù le mani da config/prod.yml.",
        "Tire as mãos do servidor de produção.",
        "Руки прочь от config/prod.yml.",
        "Ничего не удаляй.",
    ] {
        assert_eq!(of(text), [(text, Strength::Rule)], "{text}");
    }
}

#[test]
fn rules_about_when_with_what_and_by_whom() {
    for text in [
        "Vor jedem Push die Tests laufen lassen.",
        "Nach jeder Änderung die Doku anpassen.",
        "Tests laufen nur mit pnpm.",
        "I want every commit signed.",
        "I expect all functions to have tests.",
        "Die Antwort auf Fragen der Kollegen gebe nur ich.",
        "Avant chaque push, lance les tests.",
        "Avant chaque push, lancer les tests.",
        "Les tests uniquement avec pnpm.",
        "Je veux que tous les commits soient signés.",
        "Antes de cada push ejecutar los tests.",
        "Los tests solo con pnpm.",
        "Prima di ogni push eseguire i test.",
        "I test solo con pnpm.",
        "Antes de cada push rodar os testes.",
        "Os testes só com pnpm.",
        "Перед каждым пушем запускай тесты.",
        "Тесты только через pnpm.",
        "Хочу, чтобы все коммиты были подписаны.",
        "部署前先问我。",
        "部署之前先问我一下。",
        "部署前问我。",
        "每次提交前先跑测试。",
        "デプロイ前に聞いて。",
        "デプロイする前に確認してください。",
        "Every push needs my review.",
    ] {
        assert_eq!(of(text), [(text, Strength::Wish)], "{text}");
    }
}

#[test]
fn rules_about_languages() {
    for text in [
        "Commit-Nachrichten auf Deutsch.",
        "Commit-Nachrichten bitte auf Deutsch!",
        "Messages de commit en français.",
        "Mensajes de commit en español.",
        "Messaggi di commit in italiano.",
        "Mensagens de commit em português.",
        "Сообщения коммитов на русском.",
        "提交信息请用中文写。",
        "注释用英文。",
        "コミットメッセージは日本語で。",
        "コミットメッセージは日本語でお願いします。",
    ] {
        assert_eq!(of(text), [(text, Strength::Wish)], "{text}");
    }
}

#[test]
fn bug_reports_and_narration_with_rule_words_are_not_rules() {
    for text in [
        // German
        "Es kann nichts gefunden werden.",
        "Die Finger tun mir weh.",
        "Vor jedem Push laufen die Tests fünf Minuten.",
        "Vor jedem Release hatten wir Probleme mit den Daten.",
        "Nach jedem Start kommt die Meldung dreimal.",
        "Den Fehler bekomme nur ich.",
        "Das sehe nur ich auf meinem Rechner.",
        "Die Seite ist auf Deutsch.",
        "Die Fehlermeldung kommt auf Englisch.",
        "Der Absturz passiert nur mit Firefox.",
        "Die Tests laufen nur manchmal durch.",
        "Nach jedem Start die gleichen Warnungen.",
        "Nach jedem Start die gleichen Dateien.",
        "Antworten kommen auf Englisch.",
        // English
        "I want to know why it fails.",
        "Nothing may have changed since then.",
        "I expected every test to pass.",
        "We want every user back.",
        // French
        "Avant chaque build notre serveur plante.",
        "Après chaque redémarrage le port est occupé.",
        "Le message est en anglais.",
        "Je veux savoir pourquoi.",
        "Les messages d'erreur sont en anglais.",
        // Spanish
        "Antes de cada push el servidor se cae.",
        "El mensaje sale en inglés.",
        "Nada nuevo por ahora.",
        "Los mensajes de error salen en inglés.",
        // Italian
        "Non va bene.",
        "Non va più niente.",
        "Prima di ogni avvio il server si blocca.",
        "I messaggi di errore sono in inglese.",
        // Portuguese
        "Antes de cada push o servidor trava.",
        "A mensagem aparece em inglês.",
        "As mensagens de erro aparecem em inglês.",
        // Russian
        "Ничего не работает.",
        "Перед каждым запуском сервер падает.",
        "Сообщение появляется на экране.",
        "Сообщения об ошибках на английском.",
        "После каждого запуска сеть падает.",
        // Chinese
        "我部署前先跑了测试，还是失败。",
        "每次启动前都会报错。",
        "他问我为什么失败。",
        "我一直用中文。",
        "点击后先闪一下了。",
        "启动前先加载配置，然后崩溃。",
        "你之前问我的那个文件在哪里。",
        "他先和我说过。",
        // Japanese
        "前に聞いていた話と違う。",
        "エラーが英語で表示される。",
        "以前に確認しておいた設定が消えた。",
        "画面が日本語で崩れる。",
    ] {
        assert_eq!(of(text), [], "{text}");
    }
}
