// The parts of Danish compounds: simple nouns and a few words before nouns. Written for this project
// from general knowledge of the language; scandinavian.ts derives the forms. In lower case.

/** Nouns: at the beginning, in the middle, at the end. */
export const DANISH_NOUNS = `
advokat hånd teater aften aftale afgift afstand aktie alarm alder aluminium ambulance and angst ansigt ansvar apotek arbejde arbejder arkiv arm avis
baby bad bane bank barn batteri bjerg bil billede bog bold bolig bord brand bred brev bro broder brug bruger brød bryst buks bus by
byg bygning bæk bælte bænk bær børn børne båd cafe camping center chef chokolade cirkel computer cykel dag dal dame dansk data del dele dom
drage dreng drikke drift drøm dyr dør elev energi eng engel erhverv fabrik fader familie far fare farve fejl felt ferie fest film
finger fisk fjeld fjer flag flaske fly flod flåde fod foder folk forening forhold form forsikring forsker forskning forslag fred fredag
frihed frugt fugl fugt føde fødsel får gade gang gard gas gave glas gris græs grund gruppe grænse grøn guld gulv gård hals hammer
handel hat hav have havn hest himmel hjerne hjerte hjælp hjul hjørne hoved hotel hud hul hund hus høj høst industri insekt is jagt
jern job jord jul kaffe kage kalender kamp kande kanin kant kat kasse kirke kjole klima klokke kloster klub klæde kniv knude ko kok kone konge
kontor kop korn kort kraft krig krans krone kryds kugle kul kultur kunde kunst kunstner kursus kvinde kys kyst kæde kærlighed køb køkken
køl køn kørsel lade lag lampe land lejer leje lejlighed ledelse leder ledning legetøj lem liv lov luft lufthavn lyd lys læge læder lærer
læser løb løn løsning mad maler mand maskine medicin mel menneske metal middag miljø minister mode moder mor mord motor mund mur mus museum
musik mælk mærke møbel mølle mønt møde måltid måned nat natur navn nål nød nøgle næse olie opgave ordning ord orden ost papir park parti
pen penge person pige pind plade plads plan plante plante pleje politi port post pris produkt program projekt prøve pumpe punkt pære pølse
rabat ramme rapport regel regering regn regning rejse ret revision rod rolle rose rum rygning rygsæk ryg rør råd sag salat salg salt sand
sang seng september side sikkerhed sild skab skade skat ske ski skib skive skjorte sko skole skov skrift skriver skyld skærm slange slot
smag smerte smykke smør sne soldat sol sommer sorg spejl spil spiller spor sport sprog spørgsmål stal stald stand stat station stav sted
sten stik stjerne stof stol storm strand strøm strømpe studie stue stykke styrelse støj støtte størrelse sukker suppe sygdom
sygehus sygeplejer system sø søn søndag søster søvn tag tal tand tast tavle te tegn tekst telefon telt test tid tilbud time
tog told tog torsdag torv tro trafik trappe træ trykker trøje tur tunnel turist tøj tønde tårn tæppe uddannelse udgang udgift udstyr udvalg
uge uheld uld ulv undersøgelse undervisning vagt valg vand vare vask vej vejr ven ventil verden vest vin vind vinder vindue vinge vinter
virksomhed vogn vold værk værdi værelse værktøj væg æble æg økonomi øje øl øre ånd år åre
`

/** Words that only stand before others. */
export const DANISH_MODIFIERS = `
stor små hoved hjem mellem syge spise sove bade køre leve læse skrive vaske børne gamle unge fælles hvid sort
rød blå sam selv tids livs arbejds sundheds
`
