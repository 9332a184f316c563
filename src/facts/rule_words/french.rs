use super::language::Language;

pub(in crate::facts) const FRENCH: Language = Language {
    softeners: "stp svp et mais surtout alors donc ok important attention bon puis aussi rappel regle note \
        please",
    orders: "reponds touche utilise ecris fais ajoute supprime efface modifie change pousse commite committe \
        deploie installe demande lance execute verifie teste garde laisse mets prends parle dis evite prefere \
        respecte suis cree corrige renomme deplace lis traite traduis documente commente formate sauvegarde \
        attends previens informe confirme montre explique pense travaille assure veille limite reste cherche \
        appelle consulte reserve envoie livre debite annule invite paie paye planifie vouvoie tutoie \
        promets propose rembourse achete vends accepte committez *ez",
    bans: "*er *ir *re",
    endings: "",
    except: "notre votre autre contre chez assez nez avez pouvez voulez savez voyez recevez aurez serez allez",
    always: "jamais toujours systematiquement pas rien",
    only: "uniquement seulement exclusivement",
    subordinating: "qui que qu pourquoi quand si dont comme ou car parce lorsque",
    rules: "~ ne|n .. =jamais|pas|rien|plus|aucun|aucune, ~ ne|n _ =que, ^ =jamais de|d, ^ =toujours !|%, tu ne =dois, \
        vous ne =devez, tu =dois, vous =devez, ne =faut .. pas|jamais, faut =jamais|toujours, \
        est =interdit|interdite|obligatoire, sont =interdits|interdites|obligatoires, interdiction =de, \
        =interdit|defense de, en =aucun cas, sous =aucun pretexte, en =aucune circonstance, sous =aucune condition, \
        a partir de =maintenant, =desormais|dorenavant, sans =exception, je ne =veux .. pas, je ne =veux aucun*|plus, \
        je =veux pas, pas =question de, hors de =question, merci de =ne|toujours, on ne =touche, ^ % ... ~ =jamais, \
        n =oublie|oubliez pas, bas les =pattes, ^ laisse|laissez .. =tranquille, \
        ne s =applique plus, ne =vaut plus, n est =plus valable|interdit|necessaire, nouveau =autorise|permis, \
        tu peux =maintenant, tu =peux desormais, vous pouvez =maintenant, oublie ce =que j, oublie la =regle, \
        tu n as =plus besoin|a, \
        ^ chaque =fois que tu|vous ... ~ %, ^ =aucun|aucune .. sans .. accord|validation|autorisation|permission, \
        ^ pour|si|quand ... ~ % .. =toujours, \
        =demande|demandez|previens|prevenez|consulte moi, ^ =demande|demandez ... avant, sans me =demander, \
        sans =demander, sans mon =accord, mon =autorisation|accord, ma =permission|validation, mon =feu vert, \
        ^ =avant de ... ~ %, ^ % ... =avant de, ^ % ... avant|apres =chaque, repond*|parle*|commentaires .. en =#, \
        ^ tous|toutes|tout|commits .. en =#, ^ en =# $|stp|svp, \
        ^ =garde|gardez|evite|evitez|prefere|preferez|privilegie|privilegiez, =assure toi, =assurez vous, \
        ^ =veille|veillez a, ^ fais|faites =attention, tu =devrais, vous =devriez, je =prefere|prefererais, \
        je veux =que tu|tous|toutes|chaque, en cas de =doute, dans le =doute, ^ traite|traitez .. =comme, il =faut, \
        ^ % ... ~ =pas, ^ =arrete|arretez de, ^ avant|apres =chaque _ %|!, ^ les tests .. =uniquement avec, \
        ^ tests .. =uniquement avec, messages de commit .. en =#, ^ les commits .. en =#, ^ reponses en =#, \
        c est moi =qui reponds|decide|deploie",
    modals: "=doit|doivent",
    speakers: "crois pense si je j on nous ca cela ce y il",
    pointing: "~ ne le|la|les, ~ n y|en",
    lacking: "je n ai pas le|la|mon|ma, je ne .. sais|trouve pas, je ne me .. souviens|rappelle, j ai oublie",
    bars: "pas aucun aucune zero",
    small_talk: "souci soucis probleme problemes quoi chance reponse erreur erreurs idee doute mal changement \
        effet panique solution resultat mieux encore besoin grave tout trop le la les ce a en sur moi si vraiment \
        forcement moyen est a marche fonctionne",
    reports: "ne =marche|fonctionne|compile|trouve, \
        ~ ne =s|se|peut|peux|passe|demarre|vois|sais|comprend*|veut|repond, inquiete|inquietez =pas, \
        ~ n =est|a|ai|arrive, il faut =que je, ca =doit, il =doit y, vous en =faites, t en =fais",
};
