use super::language::Language;

pub(in crate::facts) const SPANISH: Language = Language {
    softeners: "por favor y pero importante ojo ok vale recuerda ademas tambien porfa porfavor atencion nota \
        regla please entonces bueno",
    orders: "responde responda contesta conteste usa use utiliza utilice escribe escriba pregunta pregunte \
        ejecuta ejecute comprueba compruebe verifica verifique haz haga manten mantenga sigue siga trabaja habla \
        hable consulta consulte pide corre prueba revisa lee avisa avise confirma respeta evita evite deja deje \
        prefiere asegurate asegurese documenta comenta explica pon anade agrega formatea guarda actualiza limita \
        trata traduce espera informa dime di cita crea",
    bans: "toque+ borre+ cambie+ modifique+ elimine+ suba+ envie+ escriba+ instale+ agregue+ anada+ ejecute+ \
        responda+ conteste+ edite+ mueva+ renombre+ olvide+ invente+ diga+ ponga+ publique+ commitee+ pushee+ \
        despliegue+ vaya+ asuma+ traduzca+ abra+ cierre+ rompa+ quite+ reescriba+ reformatee+ refactorice+ use+ \
        utilice+ haga+ deje+ incluya+ inicie+ reinicie+ pregunte+ hable+ empuje+ fusione+ lance+ altere+ \
        sobrescriba+ sobreescriba+ comparta+ exponga+ genere+ introduzca+ meta+ mande+ crees des seas tocar usar \
        hacer borrar modificar cambiar subir eliminar editar mover commitear instalar anadir agregar olvidar \
        escribir ejecutar publicar desplegar crear utilizar renombrar",
    endings: "s n",
    except: "ser estar haber poder saber",
    always: "siempre nunca jamas",
    only: "solo solamente unicamente exclusivamente",
    subordinating: "que porque cuando si donde cual como",
    rules: "~ =no !, ~ =no lo !, ~ =no la !, ~ =no los !, ~ =no las !, ~ =no me !, ~ =no le !, ~ =no te !, \
        =nunca !, =jamas !, =nunca lo !, =nunca la !, =nunca me !, =nunca los !, =nunca las !, ^ =nunca *ar, \
        ^ =nunca *er, ^ =nunca *ir, ^ =jamas *ar, ^ =jamas *er, ^ =jamas *ir, ^ =siempre %, ^ % ... ~ =nunca, \
        ^ % ... ~ =jamas, ^ =siempre *ar, ^ =siempre *er, ^ =siempre *ir, no =debes, no =puedes, nunca =debes, \
        =debes, =tienes que, no hay =que, esta =prohibido, estan =prohibidos, estan =prohibidas, \
        queda =prohibido, ^ =prohibido, bajo =ningun concepto, bajo =ninguna circunstancia, en =ningun caso, \
        a partir de =ahora, de =ahora en adelante, desde =ahora, sin =excepcion, sin =excepciones, no =quiero, \
        es =obligatorio, son =obligatorios, son =obligatorias, quiero que =siempre, ni se te =ocurra, =manos fuera, ^ deja .. en =paz",
    revoking: "ahora =puedes, ya =puedes, olvida lo =que, olvida la =regla, ya no =hace falta, ya no =tienes que, \
        ignora lo =que te",
    modals: "=deben, =debe, =tiene que, =tienen que",
    speakers: "yo nosotros esto eso porque creo si",
    wishes: "=preguntame, =pregunteme, =consultame, =avisame antes, ^ pregunta .. =antes, ^ pregunte .. =antes, \
        ^ =nada de _, ^ =antes de ... ~ %, ^ =antes de ... ~ preguntame, ^ % ... =antes de, \
        ^ % ... despues de =cada, sin =preguntar, sin =preguntarme, sin =consultar, sin =consultarme, \
        mi =permiso, mi =aprobacion, mi =autorizacion, mi =consentimiento, mi =confirmacion, mi visto =bueno, \
        respond* .. en =#, contest* .. en =#, habl* .. en =#, comentarios .. en =#, ^ todo .. en =#, \
        ^ todos .. en =#, ^ todas .. en =#, ^ en =# $, ^ en =# por favor, asegurate =de, asegurate =que, \
        asegurese =de, ^ =manten, ^ =mantenga, ^ =procura, ^ =evita, ^ =evite, ^ =prefiere, recuerda =que, =deberias, =preferiria que, =prefiero, \
        ^ trata .. =como, en caso de =duda, ante la =duda, si tienes =dudas, ^ =deja de, hay =que, quiero =que, \
        ^ cada .. =necesita, ^ antes de =cada _ !, ^ despues de =cada _ %, ^ despues de =cada _ !, \
        ^ los tests =solo con, ^ tests =solo con, mensajes de commit .. en =#, \
        ^ commits .. en =#, ^ los commits .. en =#, ^ respuestas en =#, solo yo =respondo, \
        solo yo =decido, =respondo solo yo, =decido solo yo",
    pointing: "~ no lo, ~ no la, ~ no los, ~ no las, nunca lo, nunca la, nunca los, nunca las, jamas lo, \
        jamas la",
    bars: "ningun ninguna cero sin",
    small_talk: "problema problemas embargo duda dudas idea error respuesta exito mas que nada otro otra funciona \
        hay",
    reports: "=debe haber, =debe ser un, =debe ser una, =debe ser el, =debe de, =tiene que haber, =debe estar, no hay =que yo, \
        puedes =ver, nada de =nada, te =preocupes, se =preocupe",
};
