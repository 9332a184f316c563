use super::language::Language;

pub(in crate::facts) const SPANISH: Language = Language {
    softeners: "por favor y pero importante ojo ok vale recuerda ademas tambien porfa porfavor atencion nota \
        regla please entonces bueno",
    orders: "responde responda contesta conteste usa use utiliza utilice escribe escriba pregunta pregunte \
        ejecuta ejecute comprueba compruebe verifica verifique haz haga manten mantenga sigue siga trabaja habla \
        hable consulta consulte pide corre prueba revisa lee avisa avise confirma respeta evita evite deja deje \
        prefiere asegurate asegurese documenta comenta explica pon anade agrega formatea guarda actualiza limita \
        trata traduce espera informa dime di cita crea llama llame reserva reserve envia envie entregue cobre cancela cancele invita invite \
        paga pague reembolsa compra ofrece ofrezca vende manda mande factura",
    bans: "llame+ reserve+ entregue+ cobre+ cancele+ invite+ pague+ pida+ prometa+ ofrezca+ tutee+ reembolse+ compre+ venda+ acepte+ \
        transfiera+ cargue+ despierte+ contacte+ toque+ borre+ cambie+ modifique+ elimine+ suba+ envie+ escriba+ instale+ agregue+ anada+ ejecute+ \
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
    rules: "~ =no !, ~ =no lo|la|los|las|me|le|te !, =nunca|jamas !, =nunca|jamas lo|la|me|los|las !, \
        ^ =nunca|jamas|siempre *ar|*er|*ir, ^ =siempre %, ^ % ... ~ =nunca|jamas, no =puedes|quiero, =debes, \
        =tienes que, no hay =que, esta|queda =prohibido, estan =prohibidos|prohibidas, ^ =prohibido, \
        bajo =ningun concepto, bajo =ninguna circunstancia, en =ningun caso, a partir de =ahora, \
        de =ahora en adelante, desde =ahora, sin =excepcion|excepciones, es =obligatorio, \
        son =obligatorios|obligatorias, quiero que =siempre, ni se te =ocurra, =manos fuera, ^ deja .. en =paz, \
        ya no =vale|aplica|rige, ya no se =aplica, puedes .. de =nuevo, ahora|ya =puedes, olvida lo =que, olvida la =regla, ya no =hace falta, ya no =tienes que, \
        ignora lo =que te, \
        ^ cada =vez que ... ~ avisame|preguntame|dime, \
        ^ =ningun|ninguna .. sin .. confirmar|consultar|permiso|autorizacion|aprobacion|visto, \
        solo con el =visto bueno, solo con mi =aprobacion|autorizacion, \
        =preguntame|pregunteme|consultame, =deberias|prefiero, =avisame antes, ^ pregunta|pregunte .. =antes, \
        ^ =nada de _, ^ =antes de ... ~ %, ^ =antes de ... ~ preguntame, ^ % ... =antes de, ^ % ... despues de =cada, \
        sin =preguntar|preguntarme|consultar|consultarme, \
        mi =permiso|aprobacion|autorizacion|consentimiento|confirmacion, mi visto =bueno, \
        respond*|contest*|habl*|comentarios .. en =#, ^ todo|todos|todas|commits .. en =#, ^ en =# $, \
        ^ en =# por favor, asegurate|asegurese =de, asegurate|recuerda|hay|quiero =que, \
        ^ =manten|mantenga|procura|evita|evite|prefiere, =preferiria que, ^ trata .. =como, en caso de =duda, \
        ante la =duda, si tienes =dudas, ^ =deja de, ^ cada .. =necesita, ^ antes|despues de =cada _ !|%, \
        ^ los tests =solo con, ^ tests =solo con, mensajes de commit .. en =#, ^ los commits .. en =#, \
        ^ respuestas en =#, solo yo =respondo|decido, =respondo|decido solo yo",
    modals: "=deben|debe, =tiene|tienen que",
    speakers: "yo nosotros esto eso porque creo si",
    pointing: "~ no lo|la|los|las, nunca|jamas lo|la|los|las",
    lacking: "no tengo el|la|mi, no .. recuerdo|encuentro",
    bars: "ningun ninguna cero sin",
    small_talk: "problema problemas embargo duda dudas idea error respuesta exito mas que nada otro otra funciona \
        hay",
    reports: "=debe haber|de|estar, =debe ser un|una|el, =tiene que haber, no hay =que yo, puedes =ver, nada de =nada, \
        te =preocupes, se =preocupe",
};
