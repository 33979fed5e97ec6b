// The parts of Norwegian compounds (Bokmål): simple nouns and a few words before nouns. Written for
// this project from general knowledge of the language; scandinavian.ts derives the forms. In lower
// case.

/** Nouns: at the beginning, in the middle, at the end. */
export const NORWEGIAN_NOUNS = `
advokat avtale avgift avdeling avis avstand aksje alarm alder ambulanse and angst ansikt ansvar apotek arbeid arbeider arkiv arm
baby bad bane bank barn batteri bekk belte benk berg bil bilde billett bjørn blad blod blomst bok ball bolig bord brann brev bro bror brød bryst
bruk bruker bukse buss by bygg bygning bær båt butikk dag dal dame data del dom dreng drikke drøm dyr dør elev elv energi eng engel fabrikk
familie far fare farge feil felt ferie ferge fest film finger fisk fjell fjær fjord flagg flaske fly flyplass flåte folk fond form forening forhold
forsikring forsker forskning forslag fot fotball fred frihet frokost frukt fugl følelse fødsel gang gass gate gave glass gjest grense gress gris
gruppe grunn grønnsak gull gulv gutt gård hage hals hammer handel hatt hav havn helse hest himmel hjelp hjem hjerne hjerte hjul hode hotell hud hund
hus hytte høst høyde hånd idé industri insekt is jakt jente jern jobb jord jul kaffe kake kalender kamera kamp kanal kant kasse katt kirke kjole
kjærlighet kjøkken kjøp kjøtt klima klokke kloster klubb klær kniv knapp kokk kone konge kontor kopp korn kort kostnad kraft krav krig krone kropp
kryss kull kultur kunde kunnskap kunst kunstner kurs kvalitet kvinne kyst lag laks lampe land leder ledelse leie leilighet lege leketøy lekse liv lov
luft lufthavn lunsj lyd lys lærer leser løp lønn løsning maler mann marked maskin mat matte medisin mel melk menneske merke metall middag miljø
minister minne mor mord motor munn mur mus museum musikk mynt møbel mølle møte mål måltid måned natt natur navn nett nyhet nål nøkkel nese nød olje
oppgave ord orden ordning ost papir park parti pasient penger penn person pike plan plass plate plante poeng politi port post potet pris produkt
program prosjekt prøve pumpe punkt pære pølse rapport regel regjering regn regning reise restaurant rett rolle rose rom rygg rør råd sak
salg salt sand sang seng senter side sikkerhet sild sjef sjokolade sjø skade skap skatt skje ski skinn skip skjerm skjorte sko skog skole skrift
skriver skuespiller skuldre skuff slange slott smak smerte smykke smør snø sol soldat sommer sorg speil spill spiller spor sport språk stall stat
stasjon sted stein stemme stjerne stoff stol storm strand strøm strømpe student studie stue stykke styre styrelse støtte størrelse sukker suppe
sykdom sykehus sykkel sykepleier system sønn søster søvn tak tall tann tavle teater tegn tekst telefon telt test tid tilbud time tjeneste
tog toll torg trafikk trapp tre trening trøye tur tunnel turist tårn teppe utdanning utgang utgift utstyr utvalg uke ulykke ull ulv undersøkelse
undervisning vakt valg vann vare vask vei vegg venn ventil verden verdi verk verksted verktøy vest vin vind vindu vinge vinter virksomhet vogn
vær værelse vær økonomi øye øl øre øy ånd år åre eple egg
`

/** Words that only stand before others. */
export const NORWEGIAN_MODIFIERS = `
stor små hoved hjem mellom syke spise sove bade kjøre leve lese skrive vaske barne arbeids livs tids gamle unge
felles hvit sort svart rød blå sam selv fri folke helse lands
`
