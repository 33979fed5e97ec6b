// The parts of German compounds: simple words, and a few compounds so common that they count as
// words. Written for this project from general knowledge of the language; german.ts derives the
// forms between the parts and at the end of compounds. In lower case; the spelling with ss is
// derived from ß.

/** Nouns: at the beginning, in the middle, at the end. */
export const GERMAN_NOUNS = `
aal abbau abberufung abend abenteuer abfall abfindung abgabe abgas abgeltung abgleich abgrenzung
abhängigkeit abkommen ablauf ablösung abnahme abrechnung abruf absatz abschiebung abschlag abschluss
abschnitt abschreibung absicherung absicht abstammung abstand abstieg abstimmung abteil abteilung
abtretung abwägung abwasser abwehr abwicklung abzug achse acker adapter adel adler adoption adresse
affe afrika agentur akademie akkreditierung akku akt akte aktie aktion aktionär aktivist aktivität
album alkohol alltag alm alpen alter ameise amerika ampel amt analyse analytiker anbau anbieter
anerkennung anfang anfechtung anforderung angabe angebot angehöriger angel angelegenheit
angestellter angriff angst anhang anker anlage anlass anleger anleihe anleitung anmeldung annahme
anordnung anpassung anrechnung anschlag anschluss anschrift ansicht ansprache anspruch anstalt
anteil antenne antrag antrieb antwort anwalt anwärter anwendung anzeige anzug apfel apotheke
apotheker apparat arbeit arbeiter architekt archiv ärger arm armee armut arrest art artikel arznei
arzt asche asien aspekt assistent ast atem atlas atom aufbau aufbereitung aufbewahrung aufenthalt
auffassung aufgabe aufkommen auflage auflösung aufnahme aufsicht aufstellung aufstieg auftrag
aufwand aufwendung aufzeichnung aufzug auge ausbildung ausdruck ausflug ausfuhr ausgabe ausgang
ausgleich auskunft ausland auslauf auslegung ausnahme aussage ausschreibung ausschuss aussetzung
aussicht ausstattung ausstellung austausch australien auswahl ausweis auswertung auto automat autor
axt bach backe bad bagger bahn bahre bajonett balken balkon ball ballett ballon banane band bande
bank bar bär barbar bart basis bass batterie bau bauch bauer baum bayer bayern beamte beamter
bearbeitung bebauung becher becken bedarf bedienung bedingung bedürfnis beendigung beere beet
befähigung befehl beförderung befreiung befugnis beginn begleiter begriff begutachtung behälter
behandlung behinderung behörde beihilfe beil bein beirat beispiel beitrag bekanntmachung belang
belastung beleg beleuchtung bemessung benachteiligung benutzer benutzung benzin beobachtung berater
beratung berechnung berechtigung bereich bereinigung bereitschaft berg bergbau bericht berlin
berliner beruf berufung beschaffung beschäftigung bescheid bescheinigung beschluss beschränkung
beschreibung beschwerde beseitigung besen besichtigung besitz besitzer besoldung bestand bestätigung
besteck bestellung besteuerung bestimmung besuch besucher beteiligung beton betrag betreiber
betreuer betreuung betrieb betrug bett beurkundung beute beutel bevölkerung bevollmächtigter
bewährung bewegung beweis bewerber bewerbung bewertung bewilligung bewirtschaftung bezeichnung
beziehung bezirk bezug bibel bibliothek biene bier bilanz bild bildschirm bildung binde bindung
birke birne blase bläser blatt blech blei blick blind blitz block blog blume bluse blut blüte boden
bogen bohne bohrer bombe bonbon boot bord börse bote brand braten brauch brauerei braut brecher
breite bremen bremse brenner brett brezel brief brille brokkoli brombeere brot brötchen bruch brücke
bruder brunnen brust buch buche büchse bucht bude budget bügel bühne bund bundes burg burger bürger
büro bürste bus busch bußgeld butter camp camping chef chemie chip chor cola computer container
controller creme dach dachs dame damm dämmung dampf darlehen darstellung datei daten datum dauer
daumen deck decke deckel deckung degen deich demokratie denkmal deo depot design deutsch deutschland
dezimeter dialog diamant dichter dieb diebstahl diele diener dienst dienstag dienstleistung diesel
ding diplom direktor diskussion distel disziplin dokument dokumentation dolch dom donau donner
donnerstag dorf dorn dose dosis drache draht drama dreck dreieck dresden droge drohne druck drucker
duft dünger dunkel durchführung durchschnitt dusche düse ebbe ebene eber ecke ehe ehre eiche
eichhörnchen eid eifer eigenschaft eigentum eigentümer eignung eimer einband einbringung einbruch
einfluss einfuhr eingabe eingang eingliederung einheit einigung einkauf einkommen einlage einnahme
einrichtung einsatz einsicht einspruch einstellung einteilung eintrag eintritt einwand einwohner
einzahlung einzel eis eisen eiter elbe elefant element eltern emission empfang empfänger energie
engel england enkel ente enteignung entgelt entlassung entlastung entnahme entschädigung
entscheidung entsorgung entstehung entwicklung epoche erbe erbse erde ereignis erfahrung erfassung
erfolg erfüllung ergebnis erhaltung erhebung erhöhung erholung erkältung erkenntnis erkennung
erklärung erlass erlaubnis erlebnis erlös ermächtigung ermäßigung ermittler ermittlung ernährung
ernte eröffnung erprobung erreger errichtung ersatz erstattung erteilung ertrag erwachsener
erweiterung erwerb erz erzeuger erzeugnis erzieher erziehung esel essen essig etage etat eule europa
examen existenz experte explosion export fabrik fach faden fähigkeit fahndung fahne fahrer fahrt
fahrzeug faktor falke fall falle fälschung falte familie fang fänger farbe farm fasan fass fassade
fassung faust feder fehler feier feierabend feile feind feld fell fels felsen fenster ferien fern
fernseher fertigung fest festsetzung feststellung festung fett feuchtigkeit feuer fichte fieber
figur film filter filterung filz finanz finanzierung finger firma fisch fischer fischerei fläche
flagge flamme flasche flaute fleck fleisch fliege fliese floh floß flöte fluch flucht flug flügel
flugzeug flur fluss flut folge folie fonds forderung förderung form format formel formular forscher
forschung forst förster fortbildung forum foto fracht frage frankfurt frankreich frau freiheit
freitag frequenz freund freundschaft frieden friedhof frist frosch frost frucht frühjahr frühling
frühstück fuchs fuge fühler fuhre führer führung fund funk funktion furcht fürsorge fürst fuß
fußball futter gabe gabel galerie galle gang gänger gans garage garantie garderobe garn garten gas
gast gaststätte gatte gattung gebäude geber gebet gebiet gebirge gebiss gebot gebrauch gebühr
geburt gedanke gedicht gefahr gefährdung gefangener gefäß geflügel gefrierschrank gefühl gegend
gegenstand gegner gehalt gehäuse geheimhaltung geheimnis gehilfe gehirn geige geist gelände geld
gelenk geltung gemälde gemeinde gemeinschaft gemisch gemüse gemüt genehmigung generation genosse
genossenschaft genuss gepäck gerät gericht gerste geruch gerüst gesang geschäft geschenk geschichte
geschirr geschlecht geschmack geschoss geschwindigkeit geselle gesellschaft gesetz gesicht gespräch
gestalt gestaltung gestein gestell gesundheit getränk getreide getriebe gewährleistung gewahrsam
gewährung gewalt gewässer gewebe gewehr gewerbe gewerkschaft gewicht gewinn gewinnung gewissen
gewitter gewürz gift gipfel gips gitarre gitter glanz glas glaube gläubiger gleichheit glied
gliederung glocke glück glühbirne glut gold golf gott grab graben grad graf gras gremium grenze
griff grille grippe groschen größe grube grund grundstück gründung gruppe gruß gulden gültigkeit
gummi gurke gurt gürtel gut gutachten güte guthaben haar hafen hafer haferflocken haft haftung hagel
hahn haken halle hals halt halter haltung hamburg hammer hand handel händler handlung handschuh
handwerk handy hang hannover harz hase haufen haupt haus haushalt haut hebamme hebel hecke heer hefe
heft heide heidelbeere heil heiligabend heim heimat heirat heizung held helfer helm hemd henne
herabsetzung herausgabe herbst herd herde herkunft herr hersteller herstellung herz hessen heu hexe
hilfe himbeere himmel hindernis hinweis hirnhaut hirsch hirse hirt hitze hobel hochzeit hocker hof
höhe hoheit höhle holland holz honig hopfen horn hose hotel huf hügel huhn hülle hülse hummel humor
hund hunger husten hut hütte hygiene hypothek idee identifizierung identität igel imker immobilie
immunität impfstoff impfung implantat import impuls index industrie infektion information ingenieur
inhaber inhalt innung insekt insel insolvenz instandhaltung instanz institut instrument integration
interesse internet investition investor italien jacke jagd jäger jahr jahres jahresende jahrhundert
januar japan jeans joghurt journal jubiläum jugend jugendlicher junge justiz kabel kabine kabinett
käfer kaffee käfig kai kaiser kakao kalb kalender kalk kalkulation kälte kamera kamin kamm kammer
kampf kanal kandidat kaninchen kanne kanone kante kanton kanzler kapazität kapelle kapital kapitän
kapitel kappe kapsel karotte karte kartell kartoffel käse kaserne kasse kassette kasten katalog
katastrophe kater katze kauf käufer kegel kehle keim keks keller kellner kenntnis kerl kern kerze
kessel kette keule kind kinder kinn kino kirche kirsche kissen kiste klage klammer klang klärung
klasse klassifikation klausel klavier klee kleid kleidung klima klinge klinik klippe klo kloster
klotz klub knabe knecht knie knoblauch knochen knopf knoten koch koffer kohl kohle kollege kollektor
köln kolonie kombination kommission kommode kommunikation kompanie kompass kompetenz komponente
komponist konferenz konflikt kongress könig konkurs konsole konstruktion konsum kontakt konto
kontrolle konzept konzern konzert kooperation koordinator kopf kopfhörer kopie korb kork korn körper
körperschaft korrektur kosmetik kost kosten kostüm kraft kragen kralle kran kranich kranken kranker
krankheit kranz krater kraut krawatte krebs kredit kreide kreis kreuz kreuzung krieg kriegsende
krimi krise kriterium krone kröte krug küche kuchen kugel kuh kühler kühlung kultur kulturalität kunde
kündigung
kunst künstler kupfer kuppel kur kurbel kurs kurve kürzung kuscheltier kuss küste kutsche labor lack
lackierung laden ladung lage lager lagerung lamm lampe land landschaft landung landwirt
landwirtschaft länge lappen laptop lärm laser last laster latein laterne laub lauf laufbahn läufer
laune laus laut lautsprecher lawine leben lebensende leber leder legende legislatur lehm lehne
lehrer lehrgang lehrling leib leiche leiden leim leinwand leipzig leiste leistung leiter leitung
lektion lerche leser leuchte leute lexikon licht lid liebe lied lieferant lieferung liga likör
limonade linde lineal linie linse lippe liste liter literatur lizenz lob loch locke löffel lohn
lokal lorbeer löschung lösung lotion lotterie löwe luchs lücke luft lüftung lüge lunge lupe lust
macher macht mädchen magazin magen magnet mahlzeit mainz mais makler maler management mandel mangel
mann mannschaft mantel märchen marine marke marketing markt marmelade marmor marsch maß mascara
maschine maske maßnahme masse mast material mathematik matratze mauer maul maus maut medaille medien
medikament medizin meer mehl mehrheit meile meinung meister meisterschaft meldung melodie melone
menge mensch merkmal messe messer messung metall meter methode metzger miete mieter mikrofon milch
minderheit minderung mineral minister ministerium minute mischung mitarbeiter mitglied mittag mitte
mitteilung mittel mitternacht mittwoch mitwirkung mixer möbel mobilität mode modell moderator
modernisierung möglichkeit möhre molkerei moment monarchie monat monatsende mönch mond monitor
monster montag montage monteur moor moos mord mörder morgen mosel motiv motor möwe mücke müll müller
münchen mund münze muschel museum musik musiker muskel müsli muster mut mutter mütze nabel nachbar
nachfrage nachlass nachricht nacht nachweis nachwuchs nadel nagel nähe nahrung naht name narbe nase
nation natur nebel neckar nehmer nektar nelke nerv nest netz netzwerk neuheit niederlage
niederlassung niedersachsen niederschrift niere niveau norden norm not notar note notebook notiz
nudel nummer nürnberg nuss nutzen nutzer nutzung oase ober obst ochse ofen offizier öffnung ohr öl
oper opfer optik orange orchester orden ordner ordnung organ organisation orgel orient orientierung
orkan ort osten ostern österreich ozean paar pacht pädagoge paket palast palme panne panzer papagei
papier pappe paprika papst parade paragraf parfum park parlament partei partner party pass passagier
passwort pastor pate patent patient pauschale pause pech pedal pelz pension perle person personal
persönlichkeit pest pfad pfahl pfalz pfand pfändung pfanne pfarrer pfeffer pfeife pfeil pferd
pfingsten pfirsich pflanze pflaster pflaume pflege pfleger pflegschaft pflicht pflug pforte pfosten
pfote pfund phase physik pilger pille pilot pilz pinsel piste pizza plage plakat plan plane planet
planung plastik platte platz pokal pol polen politik politiker polizei polizist polster pony portal
porto porzellan position post posten praktikant praktikum prämie präparat präsentation präsident
präsidium praxis predigt preis presse preußen priester prinz prinzip privileg probe problem produkt
produktion produzent professor profil prognose programm projekt protein protest protokoll provision
prozent prozess prozessor prüfer prüfung psychologie pudel puder pulli pullover puls pult pulver
pumpe punkt puppe puzzle quadrat qual qualifikation qualität qualle quark quartalsende quartier
quelle quote rabatt rabe rache rad radar radio rahm rahmen rakete rampe rand rang rasen rasenmäher
rasierer rasse rast rat rathaus rätsel ratte raub räuber rauch raum raupe rausch reaktion rebe
rechner rechnung recht rechtsprechung redaktion rede redner referat referent reform regal regel
regelung regen regie regierung region register registrierung regulierung reh rehabilitation reich
reif reifen reihe reiher reim reinigung reis reise reißer reiter reiz reklame rekord religion rennen
rente rentner reparatur reporter republik reserve reservierung rest restaurant restitution rettung
revier revision revolution rezept rezeption rhein richter richtlinie richtung riegel riemen riese
rind rinde ring rippe risiko riss ritt ritter robbe roboter rock roggen rohr rolle roman rose rost
route rübe rücken rücknahme rucksack rücksicht ruder ruf ruhe ruhm ruhr ruine rum rumpf runde
rundfunk ruß russland rüstung saal saar saat sachbearbeiter sache sachsen sachverständiger sack saft
säge sahne saison saite sakko salami salat salbe salz samen sammler sammlung samstag sand sandale
sanierung sarg satellit satz satzung sau säule säure schach schacht schädel schaden schädigung schaf
schal schale schaltung schanze schar schatten schatz schätzung schaufel schauspiel schauspieler
scheibe scheidung schein scheitel schelle schema schenke schenkel schenkung scherbe schere scherz
scheune schicht schicksal schiedsrichter schiefer schiene schiff schifffahrt schild schilf schimmel
schinken schirm schlacht schlaf schlag schlager schlamm schlange schlauch schleier schleuse
schlichtung schließung schlinge schlitten schloss schlot schlucht schluss schlüssel schmalz schmerz
schmetterling schmied schmuck schnabel schnaps schnecke schnee schneider schnitt schnitzel schnur
schock schokolade schotter schrank schranke schraube schraubenzieher schrei schreiber schrift
schriftsteller schritt schrott schub schuh schuld schuldner schule schüler schulter schulung schuss
schüssel schuster schutt schutz schwaben schwalbe schwamm schwan schwanz schwarm schweden schwein
schweiz schwelle schwert schwester schwimmer schwung see seele segel segen sehne seide seife seil
seite sekretär sekt sekunde senat sender sendung senf senior senkung sense serie service sessel
seuche shampoo shirt sicherheit sicherstellung sicherung sicht sieb siedlung sieg siegel sieger
signal silbe silber silo simulation sinn sirup sitte situation sitz sitzung skandal skelett ski
sklave socke sofa software sohle sohn soja soldat sommer sonde sonnabend sonne sonntag sorge sorte
soße spaghetti spalte span spanien spargel spatz specht speck spediteur speer speicher speicherung
speise spende sperre spezialist spiegel spiel spieler spielzeug spieß spinat spinne spion spitze
sport sportler sprache sprecher spree springer spritze sprung spule spülung spur staat stab
stabilität stachel stadion stadt staffel stahl stall stamm stand standard ständer stange star stärke
start station statistik statue status stau staub staubsauger staude steak stecher steckdose stecker
steg steiger steigerung stein stelle stellung stempel stengel stern steuer steuerung stich stiefel
stiel stier stift stiftung stil stimme stimmung stirn stock stoff stollen stolz storch störung stoß
strafe strahl strahlung strand strang strauch strauß strecke streich streichung streifen
streik streit stress strich strick stroh strom strömung struktur strumpf stube stück student studie
studio studium stufe stuhl stunde stundung sturm sturz stute stuttgart stütze suche sucher sucht
süden summe sumpf sünde suppe symbol system szene tabak tabelle tablet tablette tafel tag tagung
takt tal talent tanne tante tanz tänzer tarif tasche tasse tastatur taste tat täter tätigkeit taube
taucher tausch täuschung taxi team technik techniker technologie tee teer teich teig teil teilhabe
teilnahme teilnehmer telefon teller tempel temperatur tempo tennis teppich termin terrasse test
testament teufel text theater thema theorie therapie thermometer thron thüringen tier tiger tilgung
tinte tisch titel toaster tochter tod toilette tomate ton tonne topf tor torte tourismus tourist
tower tracht tradition träger trainer training traktor träne trank transaktion transparenz transport
traube trauer traum treffen treiber trend trennung treppe treue tribüne trick trieb tritt trockner
trommel tropfen trost trubel truhe trumpf truppe tube tuch tulpe tunnel tür turbine türkei turm
turnen turnier tüte typ übergabe übergang überlassung übernahme überprüfung überschuss übersetzung
übersicht überstellung übertragung überwachung überweisung übung ufer uhr ukraine umbau umfang
umfrage umgang umgebung umlage umlauf umrechnung umsatz umschlag umschulung umsetzung umstellung
umwandlung umwelt umzug unfall ungarn uniform union universität unterbrechung unterbringung
unterhalt unterhose unterkunft unterlage unternehmen unternehmer unterricht unterscheidung
unterschied unterschrift unterstützung untersuchung unterwäsche urheber urkunde urlaub ursache
ursprung urteil vanille vase vater vegetation ventil veranlagung veranstalter veranstaltung
verantwortung verarbeitung veräußerung verband verbesserung verbindlichkeit verbindung verbot
verbrauch verbraucher verbrechen verbrecher verbreitung verbrennung verein vereinbarung
vereinfachung vereinigung verfahren verfassung verfolgung verfügung vergabe vergleich vergünstigung
vergütung verhalten verhältnis verhandlung verhinderung verhütung verjährung verkauf verkäufer
verkehr verkürzung verlag verlängerung verleihung verletzung verlust vermehrung vermeidung vermerk
vermittlung vermögen vermutung vernichtung verordnung verpackung verpflichtung verrechnung
verringerung versammlung versand verschluss verschmelzung verschmutzung versicherung versorgung
verstand versteigerung versuch verteidigung verteilung vertrag vertrauen vertreter vertretung
vertrieb verwahrung verwalter verwaltung verwandter verweigerung verwendung verwertung verzeichnis
verzögerung video vieh vitamin vogel volk vollstreckung volumen vorabend voraussetzung vorbehalt
vorbereitung vorgabe vorgang vorhaben vorhang vorlage vormittag vormund vorrang vorrat vorschlag
vorschrift vorsitz vorsorge vorstand vorteil vortrag vulkan waage wache wachs wachstum waffe waffel
wagen wahl wähler wahn wahrheit wahrnehmung währung waise wald wall walzer wand wanderer wanderung
wange wanne wanze wappen ware wärme warnung warte wartung wäsche wasser wasserkocher watt weber
webseite wechsel wecker weg wehr weib weide weihnacht weihnachten wein weisung weite weiterbildung
weizen welle welpe welt wende werbung werft werk werkstatt werkzeug wert wesen wespe weste westen
westfalen wettbewerb wette wetter whisky widerruf widerspruch widerstand wiederholung wien wiese
wild wille wind windel winkel winter wirbel wirkung wirt wirtschaft wirtschaftlichkeit wissen
wissenschaft witwe witz woche wochenende wohnung wolf wolke wolle wort wunde wunder wunsch würde
würfel wurm wurst würze wurzel wüste wut zahl zahlung zahn zahnpasta zange zaun zebra zecke zeh
zeichen zeichnung zeile zeit zeitschrift zeitung zelle zelt zement zentrum zeremonie zettel zeuge
zeugnis ziege ziegel ziel ziffer zigarette zimmer zimt zink zinn zins zitrone zoll zone zoo zopf
zorn zubehör zucht zucker zug zugang zukunft zulage zulassung zunge zuordnung zusage zusammenarbeit
zuschlag zuschuss zustand zuständigkeit zustellung zustimmung zutat zuteilung zuverlässigkeit
zuweisung zuwendung zweck zweifel zweig zwerg zwiebel zwilling zylinder
`

/**
 * Ends of street names, which stay whole: people type them as one word or abbreviated, Bahnhofstr.
 */
export const GERMAN_STREETS = 'gasse straße'

/** Parts that begin but never end a compound: stems of verbs, adjectives. */
export const GERMAN_MODIFIERS = `
abstell agrar alarm allgemein alt arbeitslosen asyl außen back bade bastel binnen bio biss blau
blumen brat brau braun breit brenn brutto digital doppel dreh durchschnitts edel eigen eil einbahn
einbau einfach einweg elektro elektronik erd erst ess extra fahr falt fein fertig flach flüssig frei
fremd frisch früh geh geheim gehör gelb gesamt gieß glatt gleich grob groß grün halb halte hänge
hart heiß herren hinter hoch höchst innen inter jung kalt kehr kenn kipp klapp klar klein kommunal
kraftfahr krank kriminal kühl kurz lade landes lang leer lehr leicht leih leit lern lese liebes
liefer liege lösch mehr mehrweg meist melde mess miet mikro mindest misch missbrauchs multi nah näh
national neben netto neu nord nordost nordwest nutz öffentlichkeits öko online original ost passiv
plus präzisions primär privat prüf putz quartals quer radikal rasier regional reichs reit renn roh
rot rück rund sammel saug schalt schau schleif schlepp schließ schmal schmelz schmier schneid
schnell schräg schreib schwach schwarz schweiß schwer schwimm seiten selbst solar sonder sozial
spann spar spät spezial spitzen sprech spreng spring spritz spül staats standes stark statt steck
steh still stimm stopp streu such süd südost südwest super süß tank tast tauch thermo tief tiefkühl
tiefst tipp trag trans treff treib trenn trink trocken turn umsatzsteuer verfassungs verkehrs viel
vier voll vorder wander wasch weich weiß weit werbe west wohn zahnarzt zentral zieh zivil zusatz
zwangs zweit zwischen
`
