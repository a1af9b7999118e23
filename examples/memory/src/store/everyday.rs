//! Words that say little about what a sentence is about: those that say nothing, and those that do so only together.

use std::{collections::HashMap, sync::LazyLock};

/// What a word says about a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Says {
    /// Nothing: it joins words, or is said in any conversation.
    Nothing,
    /// Something, together with another: many subjects have it.
    Something,
    /// Much: few subjects have it.
    Much,
}

/// What joins words, what people say to each other, and what they ask of a model, in several languages.
const NOTHING: &[&str] = &[
    // English.
    "a about above across actually after again against ago ah all almost along already alright also although always am \
     among an and another any anybody anyone anything anyway apart are around as aside ask asked asking at away awesome \
     back basically be because become been before begin behind being below beside best better between big bit both bring \
     but by bye call came can cannot cheers come comes concerning cool could couldn course cover describe did didn \
     different do does doesn doing don done down due during each easy either else enough especially etc even ever every \
     everybody everyone everything exactly example explain far few fine first for forget from full further gave get gets \
     getting give given gives giving go goes going gone gonna good got great guess had half hand happen happens hardly has \
     hasn have haven having he hello help helps hence her here hers hey hi him his hm hmm hold how however i idea if in \
     indeed inside instead into is isn it its itself just keep kept kind knew know known knows large last later least leave \
     leaves left less let lets like likely little ll long look looking looks lot lots made main make makes making many may \
     maybe me mean means meant might mine more most mostly much must my myself near need needed needs neither never new next \
     nice no nobody none nor not nothing now nowhere of off often oh ok okay old on once one ones only onto or other others \
     our ours out over own part particular people per perfect perhaps person please possible pretty probably put question \
     quick quickly quite rather re read ready really reason recently right said same say saying says second see seem seems \
     seen several shall she short should show shown shows side simple simply since small so some somebody somehow someone \
     something sometimes somewhere soon sorry sort start still stuff such sure take taken takes taking talk tell tells than \
     thank thanks that the their them then there therefore these they thing things think this those though thought three \
     through thus to today together told tomorrow tonight too took toward towards tried tries try trying turn two under \
     understand unless until unto up upon us use used useful uses using usually various ve versus very via wait want wanted \
     wants was wasn way ways we well went were weren what whatever when where whether which while who whole whom whose why \
     will wish with within without won wonder word words work works worked working would wouldn write writes writing written \
     wrong wrote yeah yep yes yesterday yet you your yours yourself \
     answer answers haiku joke limerick list lyrics message paragraph poem poetry prompt reply rewrite rhyme sentence song \
     story summarise summarize summary translate translation text tldr essay \
     zero four five six seven eight nine ten hundred thousand",
    // German.
    "aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist bitte da dabei dafür \
     damit danach danke dann das dass dazu dein deine dem den denn der deren des dessen dich die dies diese diesem diesen \
     dieser dieses dir doch dort du durch ein eine einem einen einer eines einfach einmal er erst es etwas euch euer für \
     gab ganz geben genau gern gerne ging gibt gut guten habe haben hallo hast hat hatte hatten her hier hin ich ihm ihn \
     ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinen \
     können könnte könnten machen macht mal man mehr mein meine meinem meinen meiner mich mir mit möchte morgen muss müssen \
     nach nein nicht nichts noch nun nur ob oder ohne schon schön schreib schreibe sehr sein seine seinem seinen seiner seit \
     sich sie sind so soll sollte sollten sondern sonst tschüss über um und uns unser unsere unter viel viele vom von vor \
     wann war waren warum was weil welche welcher welches wenn wer werde werden wie wieder will wir wird wirst wo wohl wollen \
     worden wurde wurden zu zum zur zwischen",
    // French.
    "ai ainsi alors après as au aucun aussi autre autres aux avait avec avez avoir avons bien bonjour bonsoir car ce cela ces \
     cet cette ceux chaque chez comme comment dans de depuis des deux dire dit dois doit donc dont du elle elles en encore \
     entre es est et étaient était être eu faire fait faut fois font ici il ils je jour la là le les leur leurs lui ma mais \
     me même merci mes moi moins mon ne ni non nos notre nous on ont ou où oui par parce pas peu peut peux plus pour pourquoi \
     pouvez puis quand que quel quelle quelles quels qui quoi sa salut sans se sera ses si sommes son sont sous suis sur ta te \
     tes toi ton toujours tous tout toute toutes très trop tu un une va vais veux voici voilà vos votre vous vraiment",
    // Spanish and Portuguese.
    "a ahora al algo alguien algún alguna antes así aún aunque bien bueno cada casi como cómo con contra creo cual cuál cuando \
     cuándo de del desde después donde dónde dos el él ella ellas ellos en entonces entre era eran eres es esa ese eso esta \
     está están estar estas este esto estos estoy fue fueron gracias ha haber había han hace hacer hacia hasta hay he hola la \
     las le les lo los más me mejor mi mientras mis mucho muchos muy nada ni no nos nosotros nuestra nuestro nunca o otra otro \
     para pero poco por porque por puede pueden puedo pues que qué quien quién quiero se sea ser si sí siempre sin sobre son \
     soy su sus también tan tanto te tener tengo ti tiene tienen todo todos tu tú un una uno unos usted ustedes va vamos vez y \
     ya yo agora ainda algum alguma ali ao aos aqui as até bem boa bom cada com das dela dele depois do dois dos e é ela elas \
     ele eles em essa esse esta está estão eu foi foram isso isto já lá lhe mais mas mesmo meu minha muito na não nas nem no \
     nós nossa nosso num numa obrigada obrigado olá os ou para pela pelo pode porque quando quem quero se sem ser seu sim só \
     sou sua são também te tem ter teu tudo um uma vai você vocês",
    // Italian.
    "adesso agli ai al alla alle allo allora altri altro anche ancora aveva bene buongiorno che chi ciao come con cosa così \
     cui da dai dal dalla dalle degli dei del della delle dello di dopo dove due e ecco era erano essere fa fare fatto fra già \
     gli grazie ha hai hanno ho i il in io la le lei li lo loro lui ma me mi mia mio molto ne nei nel nella nelle nessuno no \
     noi non nostro o ogni oggi ora per perché però più po poi prima proprio può puoi qualche quale quando quanto quel quella \
     quelle quelli quello questa queste questi questo qui sa se sei sempre senza si sì sia solo sono sta su sua sue sugli sui \
     sul sulla suo tra tu tua tuo tutti tutto un una uno va vi voglio voi vorrei",
    // Dutch and Polish.
    "aan achter af al alle alles als altijd andere ben bij daar dan dank dat de deze die dit doen door dus een en er geen goed \
     haar had heb hebben heeft heel hem het hier hij hoe hun ik ja je jij jou jouw jullie kan kunnen maar maken meer men met \
     mij mijn moet moeten na naar nee niet niets nog nu of om omdat ons onze ook op over te tegen toch toen tot u uit uw van \
     veel voor waar waarom wanneer want waren was wat we wel welke werd wie wil wij worden wordt zal ze zeer zich zij zijn zo \
     zonder zou albo ale ani bardzo bez być był była było były co czy dla do dobrze dziękuję gdy gdzie go i ich im jak jako \
     je jego jej jest już kiedy kto która które który ma mi mnie mogę może można na nad nam nie nim nic niż o od on ona oni ono \
     oraz po pod proszę przez się są ta tak także tam te tego tej ten to tu ty tylko tym w wszystko z za ze że",
];

/// Common English words: of daily life, and of work with computers.
const SOMETHING: &[&str] = &[
    "able accept access account act action active activity actual add added address admin advice afraid age agent agree air \
     allow alone amount animal app apple application apply area arm arrive art article assume attempt attention autumn \
     average avoid baby background bad bag ball bank bar base based basic beach beat beautiful bed beer begin belief believe \
     belong benefit bird birthday black block blood blue board boat body book border born borrow bottom box boy branch brand \
     bread break breakfast brief bright brother brown browser budget bug build building built bus business busy button buy \
     cake camera capital car card care carry case cat catch cause cell center central century certain chair chance change \
     changes character charge chart chat cheap check cheese child children choice choose church circle city class clean clear \
     click client clock close closed clothes cloud coat code coffee cold collect college color colour column command comment \
     common community company compare complete computer concept condition config configuration connect connection consider \
     contain content context continue control cook copy corner correct cost count country couple course cousin create created \
     cross cup current custom customer cut daily dance danger dark data database date daughter day days dead deal dear death \
     decide decided decision deep default define degree delete department depend depends deploy desk detail details develop \
     developer development device diary difference difficult dinner direct direction directory discover discuss distance \
     doctor document dog dollar door double draft dream dress drink drive drop dry duty ear early earth east eat edge edit \
     effect effort egg email empty end energy engine english enjoy enter entire entry environment equal error errors evening \
     event exact exam except exist exists expect expensive experience export express extra eye eyes face fact fail failed \
     fails failure fair fall family famous farm fast father favorite favourite fear feature features feed feel feeling feet \
     field fight figure file files fill film final finally find finds finding finger finish fire fish fit fix fixed flag flat \
     floor flow flower fly folder follow following food foot force forest forever form format forward found free french \
     fresh friday friend friends front fruit fun function functions funny future game games garden general german gift girl \
     glass goal god gold government grass green grey ground group grow guide guy hair handle hands happened happy hard hate \
     head health hear heard heart heat heavy height hidden high hill history hit holiday home hope horse hospital host hot \
     hotel hour hours house huge human hungry husband ice image imagine implement import important improve include included \
     including increase index info information input install interest interesting interface internal international internet \
     island issue issues item items job join june july jump junior kernel key keys kid kill king kitchen knowledge lack lady \
     lake land language late law lay layer lead leaf learn learned learning leg length lesson letter level library lie life \
     light limit limits line lines link listen live lives load local lock log logic login logs lose lost love low lunch \
     machine mail major man manage manager map mark market match material matter maximum meal meaning meat media meet meeting \
     member memory men mention menu method middle mile milk mind minimum minute minutes miss missing mistake mobile mode model \
     module moment monday money monitor month months moon morning mother mountain mouse move movie multiple music name named \
     names nature necessary neck negative network news newspaper night noise normal north nose note notes notice number \
     numbers object occur october offer office official oil older open opened operation opinion option options orange order \
     original output outside package page pages paid pain paint pair paper parent parents park party pass passed past path \
     pattern pay peace pen performance period permission phone photo phrase physical pick picture piece pink pizza place plain \
     plan plane plant platform play player plus pocket point police policy political poor popular position positive post \
     power practice prefer prepare present president press prevent previous price print private problem problems process \
     product production program programming project projects promise proper protect provide public pull purpose push quality \
     query quiet race rain random range rate reach reading real realize reality receive recent record red reduce refactor \
     reference refer relate related relation release releases religion remain remember remind remove rent repeat replace report \
     request require required research reset resource respect response rest restart restaurant result results return returns \
     review rice rich ride ring rise river road rock role room root round row rule rules run running runs safe salt sample \
     sand saturday save saved scale schedule school science scope scratch screen script sea search season section security \
     select self sell send sends sense sent separate september series serious serve server service session set sets setting \
     settings setup share sheet ship shirt shop shot shoulder shout shut sick sign signal silence silent silver similar single \
     sister sit site situation size skill skin sky sleep slow smart smile snow social soft software solution solve son sound \
     source south space speak special speed spend split spoon sport spring square stable staff stage stairs standard star stars \
     state status stay step steps stick stone stop store storm strange street string strong structure student study style \
     subject success sudden suddenly suggest suggestion suit summer sun sunday support suppose surface surprise sweet swim \
     switch system systems table tag tail target task tasks taste tax tea teach teacher team technology teeth temperature term \
     terminal test tests testing theory thick thin third thursday ticket tiny tired title token tool tools top topic total \
     touch tour town track trade traffic train travel tree trees trip trouble true trust truth tuesday type types ugly uncle \
     unique unit update updated upload url user users valid value values variable version view village visit voice wake walk \
     wall war warm wash watch water weak wear weather web website wednesday week weekend weeks weight welcome west wet white \
     wide wife wild win wind window windows wine wing winter wise woman women wood worker workflow world worry worth yard year \
     years yellow young",
];

static KNOWN: LazyLock<HashMap<&str, Says>> = LazyLock::new(|| {
    let lists = [(SOMETHING, Says::Something), (NOTHING, Says::Nothing)];
    let mut known = HashMap::new();
    for (lists, says) in lists {
        let words = lists.iter().flat_map(|list| list.split_whitespace());
        known.extend(words.map(|word| (word, says)));
    }
    known
});

/// What a word in lower case says by itself.
pub(super) fn says(word: &str) -> Says {
    let letters = word.chars().count();
    if letters < 2 {
        return Says::Nothing;
    }
    let known = |word: &str| KNOWN.get(word).copied();
    let singular = || known(word.strip_suffix('s')?);
    match known(word).or_else(singular) {
        Some(says) => says,
        None if letters < 3 || word.bytes().all(|byte| byte.is_ascii_digit()) => Says::Something,
        None => Says::Much,
    }
}

#[cfg(test)]
mod tests {
    use super::{Says, says};

    #[test]
    fn words_say_what_they_say() {
        for word in [
            "because", "ok", "thanks", "haiku", "danke", "merci", "gracias", "x", "7",
        ] {
            assert_eq!(says(word), Says::Nothing, "{word}");
        }
        for word in ["projects", "error", "autumn", "ci", "2026"] {
            assert_eq!(says(word), Says::Something, "{word}");
        }
        for word in ["mannequin", "webhook", "postgres", "frosch"] {
            assert_eq!(says(word), Says::Much, "{word}");
        }
    }
}
