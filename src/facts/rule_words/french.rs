use super::language::Language;

pub(in crate::facts) const FRENCH: Language = Language {
    softeners: "stp svp et mais surtout alors donc ok important attention bon puis aussi rappel regle note \
        please",
    orders: "reponds touche utilise ecris fais ajoute supprime efface modifie change pousse commite committe \
        deploie installe demande lance execute verifie teste garde laisse mets prends parle dis evite prefere \
        respecte suis cree corrige renomme deplace lis traite traduis documente commente formate sauvegarde \
        attends previens informe confirme montre explique pense travaille assure veille limite reste cherche \
        appelle consulte committez *ez",
    bans: "*er *ir *re",
    endings: "",
    except: "notre votre autre contre chez assez nez avez pouvez voulez savez voyez recevez aurez serez allez",
    always: "jamais toujours systematiquement pas rien",
    only: "uniquement seulement exclusivement",
    subordinating: "qui que qu pourquoi quand si dont comme ou car parce lorsque",
    rules: "~ ne .. =jamais, ~ ne .. =pas, ~ ne .. =rien, ~ ne .. =plus, ~ ne .. =aucun, ~ ne .. =aucune, \
        ~ ne _ =que, ~ n .. =jamais, ~ n .. =pas, ~ n .. =rien, ~ n .. =plus, ~ n .. =aucun, ~ n .. =aucune, \
        ~ n _ =que, ^ =jamais de, ^ =jamais d, ^ =toujours !, ^ =toujours %, tu ne =dois, vous ne =devez, \
        tu =dois, vous =devez, ne =faut .. pas, ne =faut .. jamais, faut =jamais, faut =toujours, est =interdit, \
        est =interdite, sont =interdits, sont =interdites, interdiction =de, =interdit de, =defense de, \
        en =aucun cas, sous =aucun pretexte, en =aucune circonstance, sous =aucune condition, \
        a partir de =maintenant, =desormais, =dorenavant, sans =exception, je ne =veux .. pas, \
        je ne =veux aucun*, je ne =veux plus, je =veux pas, pas =question de, hors de =question, merci de =ne, \
        merci de =toujours, est =obligatoire, sont =obligatoires, on ne =touche, ^ % ... ~ =jamais, \
        n =oublie pas, n =oubliez pas, bas les =pattes, ^ laisse .. =tranquille, ^ laissez .. =tranquille",
    revoking: "tu peux =maintenant, tu =peux desormais, vous pouvez =maintenant, oublie ce =que j, \
        oublie la =regle, tu n as =plus besoin, tu n as =plus a",
    modals: "=doit, =doivent",
    speakers: "crois pense si je j on nous ca cela ce y il",
    wishes: "=demande moi, =demandez moi, ^ =demande ... avant, ^ =demandez ... avant, =previens moi, \
        =prevenez moi, =consulte moi, sans me =demander, sans =demander, sans mon =accord, mon =autorisation, \
        mon =accord, ma =permission, ma =validation, mon =feu vert, ^ =avant de ... ~ %, ^ % ... =avant de, \
        ^ % ... avant =chaque, ^ % ... apres =chaque, repond* .. en =#, parle* .. en =#, commentaires .. en =#, \
        ^ tous .. en =#, ^ toutes .. en =#, ^ tout .. en =#, ^ en =# $, ^ en =# stp, ^ en =# svp, ^ =garde, ^ =gardez, ^ =evite, \
        ^ =evitez, ^ =prefere, ^ =preferez, ^ =privilegie, ^ =privilegiez, =assure toi, =assurez vous, \
        ^ =veille a, ^ =veillez a, ^ fais =attention, ^ faites =attention, tu =devrais, vous =devriez, \
        je =prefere, je =prefererais, je veux =que tu, en cas de =doute, dans le =doute, \
        ^ traite .. =comme, ^ traitez .. =comme, il =faut, ^ % ... ~ =pas, ^ =arrete de, ^ =arretez de, ^ avant =chaque _ %, ^ avant =chaque _ !, \
        ^ apres =chaque _ %, ^ apres =chaque _ !, ^ les tests .. =uniquement avec, ^ tests .. =uniquement avec, \
        messages de commit .. en =#, ^ commits .. en =#, ^ les commits .. en =#, \
        ^ reponses en =#, je veux =que tous, je veux =que toutes, je veux =que chaque, \
        c est moi =qui reponds, c est moi =qui decide, c est moi =qui deploie",
    pointing: "~ ne le, ~ ne la, ~ ne les, ~ n y, ~ n en",
    bars: "pas aucun aucune zero",
    small_talk: "souci soucis probleme problemes quoi chance reponse erreur erreurs idee doute mal changement \
        effet panique solution resultat mieux encore besoin grave tout trop le la les ce a en sur moi si vraiment \
        forcement moyen est a marche fonctionne",
    reports: "ne =marche, ne =fonctionne, ne =compile, ne =trouve, ~ ne =s, ~ ne =se, ~ ne =peut, ~ ne =peux, \
        ~ ne =passe, ~ ne =demarre, ~ ne =vois, ~ ne =sais, ~ ne =comprend*, ~ ne =veut, ~ ne =repond, \
        inquiete =pas, inquietez =pas, ~ n =est, ~ n =a, ~ n =ai, ~ n =arrive, il faut =que je, ca =doit, il =doit y, vous en =faites, t en =fais",
};
