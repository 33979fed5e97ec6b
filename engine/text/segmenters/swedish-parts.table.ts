// The parts of Swedish compounds: simple nouns and a few words before nouns. Written for this
// project from general knowledge of the language; scandinavian.ts derives the forms. In lower case.

/** Nouns: at the beginning, in the middle, at the end. */
export const SWEDISH_NOUNS = `
advokat affär afton aktie alarm ambulans and ansikte ansvar apotek arbete arbetare arkiv arm art avdelning avgift avstånd avtal
bad bageri bana bank barn batteri berg bil bild biljett björn blad block blod blomma bok boll bolag bord bostad brand brev bro broder bror bränsle
bröd bröst buss by byggnad byrå byxa båt bälte bänk bär bäck center chef choklad cykel dag dal dam dans data del djur dom dotter dryck
dröm duk dörr eld elev energi fabrik familj far fara fest film finger fisk fjäll fjäder flagga flaska flicka flod flyg flygplan folk fond form
forskare forskning fot fråga frihet frukost frukt fågel färg fält fängelse fönster förening föreställning företag förlag förslag försäkring
försäljning gata gas gran gris grupp gräns gräs grönsak gud guld golv gård gäst hals hammare hand handel hamn hatt hav hem hemlighet hjul
hjälp hjärna hjärta hotell hud hund hus hyra häst höst höjd idé industri insekt is jakt jord jul järn kaffe kaka kalender kamera kamp kanal katt
kassa kniv klimat klocka kloster klubb kläder knapp kock ko kol konst konstnär kontor kopp korg korn kort kostnad kraft krav krig krona kropp
kultur kund kung kunskap kurs kust kvinna kvalitet kyrka kyl källa källare kärlek kött kök köp lag lampa land ledare ledning lejon leksak
lista litteratur liv ljud ljus luft lunch läge läkare läkemedel lärare läsare lön löfte lopp lägenhet majs man marknad maskin mat matta medicin
medel mes metall middag miljö minister minne mjöl mjölk mod moder mor mord motor mun mur mus museum musik mynt myndighet målare mål måltid månad
måne människa märke möbel möte natt natur namn norr nyckel nål näring näsa nät olja ord orden ost ordning pappa papper park parti paket panna peng
penna pengar person pil plan plats plåt plånbok pojke polis port post potatis pris problem produkt program projekt präst prov punkt päls päron
rad ram rapport regel regering region regn resa restaurang resultat rock roll ros rum rygg rättighet rätt råd rök rör sak saft sal salt
sand sida sjuk sjukdom sjukhus sjö skada skatt sked skepp skida skjorta sko skog skola skor skrift skrivare skuld skydd skärm skåp slott slang smak
smycke smör snö sol soldat sommar son sorg soppa spegel spel spelare spår sport språk stad stall stat station stav steg sten stjärna stol
storlek storm strand strid ström studie stuga stycke styrelse stång stöd ställe sträng student strumpa system syster säng säkerhet säljare sång
tak tal tand tavla teater tecken teknik telefon tempel text tid tiger tidning timme tjänst torg torn trafik trappa tråd träd trä träning
tröja tur tunnel turist tvätt tåg tält utbildning utgång utrustning vagn val vakt vara vatten vecka ved ventil verk verksamhet verktyg vete
vilja vin vind vinge vinter väder väg vägg värde värld värme väska växt vård våning yta yrke ägare ägg äpple öga öl öra år ånga åsikt
`

/** Words that only stand before others. */
export const SWEDISH_MODIFIERS = `
stor små huvud hem mellan sam själv sjuk barna arbets livs tids bad kör läs skriv tvätt sov ät hög låg ny gammel
röd blå vit svart grön fri folk lands
`
