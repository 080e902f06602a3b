//! Frequent given names and family names, in lower case. They are facts of everyday life, written down for this
//! program: the commonest of German, English, French, Spanish, Italian, Dutch, Polish, Turkish, Arabic,
//! Scandinavian, Russian, Indian and Portuguese speakers, and Korean and Chinese family names.

/// Given names.
pub(super) const GIVEN: &str = "\
    aaron|abdul|abdullah|abigail|achim|ada|adam|adele|adelheid|adrian|adriana|agata|agnes|agnieszka|ahmad|ahmed|ahmet|aiden|\
    aisha|alain|alan|albert|alberto|aleksandra|alejandro|alessandro|alessia|alex|alexa|alexander|alexandra|alexandre|alexis|\
    alfred|ali|alice|alicia|alina|aline|alison|alois|alyssa|amalia|amanda|amber|amelia|amelie|amina|amir|amit|amy|ana|anastasia|\
    anders|andre|andrea|andreas|andrei|andres|andrew|andrzej|angela|angelika|angelina|anika|anita|anja|anjali|anke|ann|anna|annabell|\
    anne|annegret|anneliese|annemarie|annette|annie|annika|anthony|antje|anton|antonia|antonio|anusha|arne|arnold|arthur|arun|arvid|\
    ashley|asli|astrid|august|ava|axel|ayse|aysel|ayşe|barbara|bart|bartosz|beata|beate|beatrice|beatriz|ben|benedikt|benjamin|\
    benno|bernadette|bernd|bernhard|bert|berta|bertha|beth|betty|beverly|bianca|birgit|birgitta|birte|bjarne|björn|bodo|boris|brandon|\
    brenda|brian|brigitte|britta|brittany|bruce|bruno|burkhard|caitlin|camille|carina|carl|carla|carlos|carmen|carol|carola|caroline|\
    carolyn|carsten|catherine|cathy|cecilia|cem|chantal|charlene|charles|charlie|chiara|chloe|chris|christa|christel|christian|\
    christiane|christina|christine|christoph|christopher|cindy|clara|clarissa|clarence|claude|claudia|claus|clemens|connor|constanze|corinna|\
    cornelia|craig|cynthia|dagmar|daisy|damian|dan|daniel|daniela|danielle|danny|daria|darius|dave|david|dawid|dawn|dean|debbie|deborah|\
    debra|deniz|denise|dennis|detlef|diana|diane|dieter|dietmar|dietrich|dirk|dmitri|dominic|dominik|donald|donna|dora|doreen|doris|\
    dorota|dorothea|dorothee|dorothy|douglas|dylan|ebba|eberhard|eckhard|eddie|edgar|edith|edmund|eduard|edward|edwin|eileen|ekaterina|ela|\
    elaine|elena|eleonore|elfriede|eli|elias|elif|elijah|elin|elisa|elisabeth|elise|eliza|elizabeth|elke|ella|ellen|elmar|elsa|elsbeth|else|emanuel|\
    emil|emilia|emilie|emily|emine|emma|emre|engelbert|enrico|enrique|eric|erica|erich|erik|erika|erna|ernest|ernst|erwin|esra|esther|ethan|\
    eugen|eugene|eva|evan|evelin|evelyn|ewa|ezra|fabian|fabio|falk|fatih|fatima|fatma|felicia|felicitas|felix|ferdinand|fernando|finn|\
    fiona|flora|florian|frances|francesca|francesco|francis|francisco|franco|francois|frank|franz|franziska|fred|frederic|frederick|frederik|\
    freya|frida|frieda|friederike|friedrich|fritz|gabriel|gabriela|gabriele|gabriella|gareth|gary|gavin|gemma|georg|george|georgia|georgios|gerald|\
    gerard|gerd|gerda|gerhard|gerlinde|gertrud|gesa|gesine|gianni|gina|giovanni|gisela|giulia|giuseppe|gloria|grace|graham|gregor|gregory|greta|\
    grzegorz|gudrun|guido|guillaume|gunnar|gunter|gustav|günter|günther|hakan|hamza|hanna|hannah|hanne|hannelore|hannes|hans|harald|harold|harriet|\
    harry|hartmut|hasan|hassan|hatice|hedwig|heide|heidemarie|heidi|heidrun|heike|heiko|heiner|heinrich|heinz|helen|helena|helene|helga|\
    helmut|hendrik|henning|henri|henrik|henrike|henry|herbert|heribert|hermann|herta|hertha|hilda|hilde|hildegard|hiltrud|holger|horst|howard|\
    hubert|hugo|hussein|hüseyin|ian|ibrahim|ida|igor|ilona|ilse|imke|ina|ines|inga|inge|ingeborg|ingo|ingrid|irene|irina|irma|irmgard|isaac|\
    isabel|isabell|isabella|isabelle|isla|ivan|ivana|jack|jacob|jacqueline|jacques|jaime|jake|jakob|jakub|james|jamie|jan|jana|jane|janet|\
    janice|janina|janine|jannik|jannis|janusz|jared|jasmin|jason|javier|jayden|jean|jeanette|jeff|jeffrey|jennifer|jenny|jens|jeremy|jerry|jesse|\
    jessica|jesus|jill|jim|jimmy|joachim|joan|joana|joanna|joanne|joao|jochen|joe|joel|johan|johann|johanna|johannes|john|johnny|jolanda|\
    jolanta|jon|jonah|jonas|jonathan|jordan|jorge|jose|josef|josefine|joseph|josephine|joshua|josie|joyce|joão|juan|juana|judith|judy|julia|julian|\
    juliana|juliane|julie|julien|juliette|julius|jun|justin|jutta|jörg|jürgen|kai|karen|karim|karin|karina|karl|karla|karol|karolina|karsten|\
    katarzyna|kate|katharina|katherine|kathleen|kathrin|kathryn|kathy|katie|katja|katrin|kaya|keith|kelly|kenneth|kenji|kerstin|kevin|khaled|\
    kiara|kim|kimberly|kirsten|klara|klaus|knut|konrad|konstantin|kristen|kristin|kristina|krystyna|krzysztof|kurt|kyle|lara|larissa|larry|lars|\
    latoya|laura|lauren|laurent|lea|leah|leila|lena|leni|lennard|leo|leon|leonard|leonhard|leonie|leroy|leticia|levi|lewis|liam|lieselotte|lilian|lilli|lilly|\
    lina|linda|linus|lisa|lisbeth|lorenz|lorenzo|lotte|lottie|louis|louisa|louise|luca|lucas|lucia|lucie|lucy|ludger|ludwig|luigi|luis|luisa|luise|lukas|\
    luke|lutz|lydia|lynn|maciej|magda|magdalena|maik|maike|maja|malgorzata|małgorzata|malte|mandy|manfred|manuel|manuela|marc|marcel|marcin|marco|\
    marcos|marcus|mareike|margaret|margarete|margarita|margit|margot|margret|maria|mariam|marian|mariana|marianne|marie|marija|marilyn|marina|mario|\
    marion|marisa|marit|marjorie|mark|marko|markus|marlene|marlies|marta|martha|martin|martina|marvin|mary|maryam|mateo|mateusz|mathias|mathilda|\
    mathilde|matilda|matteo|matthew|matthias|maurice|max|maximilian|maya|mechthild|megan|mehmet|melanie|melissa|melvin|meral|merle|mia|micha|michael|michaela|\
    michal|michał|michel|michele|michelle|miguel|mika|mikael|mila|milan|mildred|miriam|mirjam|mirko|mohamed|mohammad|mohammed|mona|monica|\
    monika|monique|moritz|muhammad|muhammed|murat|mustafa|nadia|nadine|nadja|nancy|naomi|natalia|natalie|natasha|nathalie|nathan|nathaniel|neil|nele|nicholas|\
    nick|nico|nicola|nicolas|nicole|niels|nigel|niklas|nikita|niko|nikolai|nikolaus|nils|nina|noah|noel|nora|norbert|norma|nuria|nurten|oksana|\
    ola|olaf|oleg|olga|oliver|olivia|olivier|olof|omar|oscar|oskar|osman|oswald|otto|owen|pablo|pamela|pascal|pat|patricia|patrick|\
    patrizia|patryk|paul|paula|pauline|paulo|pawel|paweł|pedro|peggy|per|petar|peter|petra|philip|philipp|phillip|phyllis|pia|pierre|pietro|\
    pilar|piotr|priya|rachel|rafael|raimund|rainer|rajesh|ralf|ralph|ramona|ramon|randy|raphael|raquel|rasmus|raymond|rebecca|regina|regine|reiner|\
    reinhard|reinhold|renate|rene|reza|rhonda|ricarda|ricardo|richard|rita|rob|robert|roberto|robin|rodrigo|roger|roland|rolf|roman|ronald|ronja|rosa|\
    rosalie|rosalinde|rosemarie|rosemary|rosina|rosita|rosi|rudi|rudolf|rupert|russell|ruth|ryan|rüdiger|sabine|sabrina|sadie|said|sally|salma|sam|samantha|samir|samuel|\
    sanchia|sandra|sandy|sanjay|sara|sarah|sascha|saskia|scott|sean|sebastian|selin|selina|selma|sergei|sergio|seth|sharon|shirley|sibylle|siegfried|\
    sigrid|silas|silke|silvia|simon|simona|simone|sina|sofia|sofie|sonja|sophia|sophie|stacy|stanislaw|stanisław|stefan|stefanie|steffen|steffi|stella|stephan|stephanie|\
    stephen|steve|steven|stuart|sue|sunita|suresh|susan|susana|susann|susanna|susanne|suzanne|sven|svenja|svetlana|sybille|sylvia|sylvie|tamara|\
    tanja|tara|tatjana|ted|teresa|terry|thea|theo|theodor|theodore|theresa|therese|thilo|thomas|thorsten|tiffany|till|tim|timo|timothy|tina|tobias|\
    todd|tom|tomas|tomasz|tony|torben|torsten|tracy|traute|trevor|tristan|udo|ulf|ulla|ulrich|ulrike|ursula|ute|uwe|vadim|valentin|valentina|valeria|valerie|\
    vanessa|vera|verena|veronica|veronika|vicky|victor|viktor|viktoria|vikram|vincent|vincenzo|viola|virginia|vivian|vivien|vladimir|volker|waldemar|walter|wanda|\
    werner|wendy|wilfried|wilhelm|wilhelmine|willi|william|willy|winfried|wojciech|wolf|wolfgang|xaver|ximena|yan|yannick|yasemin|yasmin|yusuf|yvonne|zachary|\
    zainab|zeynep|zoe|zofia|zoë|özlem|ömer|lillian|aurelie|ahmet|brad|bradley|cameron|chad|clara|cody|cole|colin|corey|curtis|derek|devon|dustin|\
    elliot|eugenia|gail|gertrude|glenn|gordon|hailey|hazel|heather|holly|irving|jacqui|jodie|kaitlyn|katelyn|kayla|kristine|lauri|leslie|lois|loretta|lori|lorraine|\
    madeline|marc|marcia|maureen|mckenzie|michaela|minnie|mitchell|molly|nicolette|norman|paige|pauline|rhys|rodney|ron|rosie|sheila|shane|shannon|shawn|sidney|sierra|\
    sonia|spencer|stacey|stan|tammy|tanya|teri|theresa|travis|tricia|vernon|vickie|wayne|wesley|willie|yolanda|zara|alma|amparo|angeles|antonella|beatrix|blanca|bridget|\
    carlo|consuelo|dolores|eduardo|elvira|emilio|ernesto|esteban|federico|felipe|gerardo|gonzalo|guadalupe|gustavo|hector|ignacio|jaroslaw|jerzy|jesús|josé|julio|leonardo|\
    lourdes|lucía|manolo|marcelo|maricarmen|martín|maría|mercedes|montserrat|natividad|pepe|raul|raúl|rocio|salvador|salvatore|santiago|sofía|ángel|ángela|óscar|\
    anneke|bram|daan|femke|fleur|gerrit|hanneke|ingeborg|jeroen|joost|joris|lieke|maarten|marieke|pieter|ruud|sanne|sjoerd|thijs|tjeerd|wim|wouter|\
    bengt|birgitte|bo|erling|gro|göran|håkan|inger|ingvar|johansen|jørgen|kari|kjell|lise|marit|mette|mikkel|odd|ole|oddvar|rune|sigurd|stig|sverre|søren|tone|trond|\
    amina|ashraf|farid|farida|hamid|hana|huda|imran|jamal|kamal|khadija|layla|mahmoud|malik|mariam|nabil|noor|nour|rahim|rania|rashid|samira|tariq|waleed|yasin|youssef|\
    aditya|anand|anil|ananya|arjun|deepa|deepak|gita|kavita|kiran|lakshmi|mohan|neha|nisha|pooja|rahul|raj|ravi|rohan|rohit|sanjana|shreya|sunil|vijay|\
    alexei|anatoli|boris|dimitri|galina|ilya|larisa|ludmila|lyudmila|maxim|mikhail|natalya|nikolay|pavel|sergey|tatiana|vasily|yana|yelena|yuri|\
    akira|haruka|hiroshi|keiko|kenta|naoko|satoshi|takashi|yoko|yuki|hui|jing|wei|xin|ying|nguyen|linh|minh|thuy|chinedu|kwame|amara|ngozi|oluwaseun|\
    ayhan|burak|cansu|ebru|ecem|erkan|gül|gülsen|hülya|ismail|kemal|leyla|nuray|orhan|selim|serkan|sevgi|tuncay|ufuk|volkan|yilmaz|zehra";

/// Family names.
pub(super) const FAMILY: &str = "\
    abel|ackermann|adams|ahmed|albrecht|alexander|ali|allen|alvarez|andersen|anderson|andersson|arnold|bach|bailey|baker|balzer|barnes|bartels|barth|\
    bauer|baumann|baumgartner|beck|becker|behrens|bell|bender|benedict|bennett|benson|berg|berger|bergmann|bernard|bernhardt|beyer|bianchi|binder|black|blum|bock|bode|böhm|\
    böttcher|bosch|brand|brandt|braun|breuer|brinkmann|brooks|brown|bruns|bryant|busch|butler|böhme|campbell|carter|castillo|castro|celik|chavez|chen|christensen|\
    clark|clarke|coleman|collins|conrad|contreras|cook|cooper|cox|cruz|dahl|davies|davis|demir|diaz|dietrich|dietz|dogan|dubois|durand|duran|ebert|eckert|edwards|ernst|\
    esposito|evans|fernandez|ferrari|fiedler|fischer|fisher|fleischer|flores|forster|foster|fournier|frank|franke|fraser|freitag|frey|friedrich|fritz|fuchs|förster|gabriel|garcia|\
    garcía|geiger|gerlach|gibson|giese|gomez|gonzales|gonzalez|gonzález|gordon|graf|graham|gray|green|greene|griffin|gross|große|groß|gruber|günther|gupta|gutierrez|haas|hagen|hahn|hall|\
    hamilton|hansen|hanson|harris|harrison|hartmann|haupt|hayes|heck|heinrich|heinz|heller|hempel|henderson|henning|herbst|hermann|hernandez|hernández|herrera|herrmann|hess|hesse|\
    heuer|hill|hinz|hoffman|hoffmann|hofmann|hofer|hohmann|horn|horvath|howard|huang|huber|hughes|hunt|hunter|ibrahim|ivanov|ivanova|jackson|jacobs|jahn|jakob|james|jansen|janssen|jansson|jenkins|\
    jensen|jimenez|johansson|johnson|johnston|jones|jordan|jung|jäger|kaiser|kaminski|kaya|keller|kelly|kennedy|kern|khan|kim|king|kirchner|klein|knight|koch|köhler|könig|konrad|\
    kowalczyk|kowalski|kowalska|kraft|kramer|kraus|krause|krauß|kremer|krueger|krüger|kruse|krämer|kuhn|kumar|kunz|kunze|kurz|kühn|lang|lange|larsen|larson|larsson|lauer|laurent|\
    lee|lefebvre|lehmann|leroy|lewandowski|lewis|li|lin|lindner|liu|long|lopez|lorenz|ludwig|lutz|lópez|maas|macdonald|maier|marquardt|marshall|marti|martin|martinez|martínez|marx|mason|\
    mayer|mccarthy|mcdonald|mcmanus|medina|meier|meißner|mendez|mendoza|menzel|mertens|merz|meyer|michalski|michel|miller|mills|mitchell|mohr|moreau|morales|moreno|morgan|morris|morrison|moser|\
    moser|murphy|murray|myers|möller|müller|nagel|naumann|neubauer|neumann|nelson|nguyen|nielsen|niemann|nilsson|noack|nolte|novak|nowak|olsen|olson|olsson|ortiz|otto|owens|\
    ozturk|parker|patel|paul|pedersen|perez|perry|peters|petersen|peterson|petit|pfeifer|pfeiffer|phillips|pohl|powell|preuß|price|probst|raab|ramirez|ramos|rau|reed|reichert|reinhardt|\
    reuter|reyes|reynolds|richard|richards|richardson|richter|rivera|riedel|ritter|robert|roberts|robertson|robinson|rodriguez|rodríguez|rogers|rojas|romano|romero|rose|ross|rossi|roth|rossberg|\
    rudolph|ruiz|russell|russo|ryan|sahin|sanchez|sanders|santos|sato|sauer|schäfer|schäffer|scherer|schenk|scherf|schilling|schindler|schlegel|schlüter|schmid|schmidt|schmitt|schmitz|\
    schneider|scholz|schott|schreiber|schröder|schröter|schubert|schulte|schultz|schulz|schulze|schumacher|schumann|schuster|schwab|schwartz|schwarz|scott|seidel|seifert|shah|sharma|silva|simmons|simon|\
    simpson|singh|smirnov|smith|sommer|souza|stahl|stein|steiner|stephan|stevens|stewart|stone|straub|strauß|sullivan|suzuki|svensson|tanaka|taylor|thiel|thiele|thomas|thompson|thomsen|thomson|torres|tucker|\
    turner|ullrich|ulrich|unger|urban|vargas|vasquez|vogel|vogt|voigt|voß|volk|wagner|walker|wallace|walter|walther|wang|ward|watanabe|watson|weaver|weber|wegner|weiss|weiß|wells|wendt|\
    werner|west|white|wiegand|wilhelm|wilkinson|williams|williamson|wilson|winkler|winter|wirth|wiśniewski|witt|wolf|wolff|wong|wood|woods|wright|wu|wunderlich|yang|yildirim|yilmaz|yıldız|young|zhang|\
    ziegler|zimmer|zimmermann|öztürk|çelik|şahin|kozlowski|lewandowska|wójcik|zielinski|szymanski|petrov|popov|sokolov|kuznetsov|papadopoulos|o'brien|o'connor|o'neill|mcintyre|\
    hussain|begum|rahman|mohamed|hassan|mahmoud|haddad|khoury|okafor|mensah|adeyemi|diallo|traore|desai|reddy|iyer|nair|joshi|mehta|chowdhury|das|gonçalves|ferreira|pereira|oliveira|costa|almeida";

/// Names that are places, occupations, colours, seasons or other words as well: alone they say nothing.
pub(super) const ALSO_WORDS: &str = "\
    abel|adams|adele|alexander|alexandria|alma|amber|anderson|andrea|arlington|august|aurora|austin|bach|baker|barnes|bauer|beck|bell|benedict|berg|berger|bergmann|\
    black|blanca|blum|bo|bock|brand|brandon|braun|brooks|brown|bruce|busch|butler|böttcher|cameron|carmen|carson|carter|casey|charlotte|chester|christian|clark|cole|concord|cook|\
    cooper|corona|costa|cruz|daisy|dallas|das|dawn|de|dean|denver|der|devon|dietrich|diana|douglas|elgin|elizabeth|else|eugene|falk|faith|felicitas|fischer|fisher|fleischer|flora|florence|flores|ford|\
    forster|foster|frank|frankfurt|franklin|freitag|fritz|fuchs|förster|gabriel|gary|geiger|georgia|gloria|gordon|grace|graf|grant|gray|green|griffin|gro|gross|große|groß|hagen|hahn|hall|hamilton|hazel|\
    heather|heide|helena|henderson|herbst|hesse|hill|holly|horn|houston|howard|hunt|hunter|irving|jackson|jacksonville|jäger|jasmin|jefferson|jersey|jordan|jun|jung|kaiser|keller|kern|kim|king|klein|knight|\
    koch|könig|konstanz|kraft|kühn|kurz|lancaster|lang|lange|laurel|lawrence|lee|leon|lima|lin|lincoln|linda|logan|london|long|lorenz|louisville|lynn|madison|maas|madrid|malta|mandy|marina|marion|mark|martinez|mason|\
    mercedes|miller|mills|milan|mia|monroe|montgomery|morgan|morris|nagel|nancy|nelson|norman|odd|ola|olympia|ole|orlando|osman|otto|owen|paris|parker|pat|paul|per|petit|perry|phoenix|pilar|preston|price|raj|ramon|reed|regina|richardson|richmond|\
    richter|ritter|robin|rodney|roman|rosa|rose|ruth|sahara|salem|salvador|san|sandy|santiago|santos|schäfer|schilling|schneider|schreiber|schumacher|schuster|schwarz|scott|sidney|sierra|silva|simon|smith|sofia|sommer|spencer|stahl|stein|stella|stone|\
    sue|sydney|taylor|terry|till|tone|torres|troy|tucker|turner|tyler|ufuk|unger|urban|valencia|van|vera|vernon|victoria|vienna|viola|violet|virginia|vogel|volk|von|wagner|walker|wallace|wanda|ward|warren|washington|wayne|weaver|weber|weiss|weiß|wells|west|\
    white|wilson|winkler|winter|wirth|wolf|wood|woods|worms|wright|yan|young|zimmer|zimmermann|wei|hui|jing|xin|ying|bengt|carolina|dakota|montana|savannah|asia|chelsea|trinity|joy|hope|will|bill|art|ray|jade|ruby|pearl|iris|lily|ivy|ginger|rosemary|basil|sage|april|may|june";

/// What is no person although a name stands in it.
pub(super) const THINGS: &str = "\
    st|st.|san|santa|sankt|saint|sainte|são|ste|fort|port|mount|mt|lake|new|north|south|east|west|el|los|las|la|le|les|bad|klinik|klinikum|krankenhaus|kliniken|spital|hospital|clinic|clinics|\
    center|centre|haus|house|station|ward|unit|praxis|practice|institute|institut|university|universität|universitätsklinikum|street|straße|strasse|str|str.|weg|allee|platz|road|avenue|lane|drive|\
    park|school|schule|college|church|county|city|stadt|kreis|bezirk|state|valley|beach|springs|hills|heights|island|disease|syndrome|syndrom|morbus|krankheit|fracture|lymphoma|test|score|scale|index|gmbh|ag|inc|ltd|foundation|stiftung|\
    krankenkasse|kasse|versicherung|insurance|health|care|pflegeheim|apotheke|pharmacy|labor|laboratory|method|sign|type|stage|grade|class|group|und|and|oder|or|of|the|mit|with|bei|im|in|am|an|for|für|zu|to";

/// What is said before names of persons.
pub(super) const TITLES: &str =
    "mr|mr.|mrs|mrs.|ms|ms.|miss|dr|dr.|prof|prof.|herr|frau|hr.|fr.|mme|monsieur|señor|señora|sig.|dott.";

/// The most frequent Korean family names, which four of five persons have.
pub(super) const KOREAN: &str = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하";

/// The most frequent Chinese family names, which four of five persons have.
pub(super) const CHINESE: &str = "王李张刘陈杨黄赵周吴徐孙马朱胡郭何林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤";
