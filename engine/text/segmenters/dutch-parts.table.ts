// The parts of Dutch compounds: simple nouns and a few words before nouns. Written for this project
// from general knowledge of the language; dutch.ts derives the forms. In lower case.

/** Nouns: at the beginning, in the middle, at the end. */
export const DUTCH_NOUNS = `
aandacht nadeel oordeel instrument bloesem kussen aandeel aanbod aanbieding aangifte aanklacht aankomst aankoop aanleg aansluiting aansprakelijkheid aanslag aanval
aanvraag aap aarde aardappel aardbei abonnement achtergrond actie adem adres advies advocaat afdeling afspraak afstand afval
agenda akkoord akte alarm alcohol ambacht ambtenaar angst antwoord apparaat appel apotheek arbeid arbeider architect arm artikel arts
asiel auto avond baan baas baby bad bagage bak bakker bal balk ballon band bank bar basis batterij bed bedrag bedrijf been beeld beer
begin begroting behandeling beheer beker belang belasting beleid berg bericht beroep bescherming besluit bestand bestuur bestuurder betaling
beton bevolking beweging bewijs bewoner bezoek bezoeker bier bij bijbel bil binnenland blad blik bloed bloem bodem boek boer boete
bom bon boodschap boom boon boord boot bord borst bos boter bouw brand breuk brief bril broek broer brood brug brug bruid
buik buis bus buurt buurman camera campagne camping cel centrum cent chef chocolade cijfer club code computer concert contract controle
cultuur cursus dag dak dal dame dans data deel deken deksel dekking dier dienst dijk dochter document dokter dom dood doos dorp
draad drank druk druppel duim duin eend eeuw eigenaar eiland eis ekster emmer energie engel ervaring eten examen expert fabriek
factuur familie fase feest fiets figuur film fles fonds forum foto fout fruit functie gang gans garage garantie gas gast gat gebied
gebouw gebruik gebruiker gedicht geest geheim geheugen geld geluid gemeente generatie genot gerecht geschiedenis gesprek getal
gevaar gevel gevoel geweld gewicht gezicht gezin gezondheid gids glas god golf gordijn goud graad graf gras grens groente groep grond
haar haard haas hal hals ham hamer hand handel handelaar hart haven heer heks helm hemd hemel herfst herinnering hersen hert heuvel hof
hoed hoek hond honing hoofd hoogte hooi hoop hoorn hotel hout huid huis hulp huur huwelijk idee ijs ijzer industrie informatie ingang
inkomen inkoop inrichting insect instelling installatie interview invoer jaar jacht jas jeugd jongen jurk kaars kaart kaas kabel kabinet
kalender kalf kam kamer kamp kanaal kans kantoor kap kapitaal kapper kast kasteel kat keel keizer kelder kennis kerk kern kerst
ketel keten ketting keuken keuze kind kip kist klacht klas klei kleding kleur klimaat klant klok klooster knie knop koek koe koers koffer
koffie kok kolen koning koningin kool kop koper koorts korst kost kraag kraan kracht krans krant krediet kring krijg kruid kruis
kunst kunstenaar kust kwaliteit laag laars lade lam lamp land landschap last leder leer leeuw legende leger leiding lente lepel
leraar les letter leven lezer lezing lichaam licht lid liefde lied lijn lijst limonade lippen literatuur locatie lok loket loods loon
lucht maag maal maan maand maat machine macht mais man mand mantel map markt materiaal matras medaille melk meer meester meisje
meloen mens merk mes metaal meter meubel middel milieu minister ministerie misdaad mode moeder molen mond monitor moord
morgen motor mug munt muis museum muts muur muziek naald naam nacht nagel natuur nek nest net neus nieuws noot nood noord nummer
oester oever offerte olie olifant onderdeel ondernemer onderneming onderwijs onderzoek onderzoeker oog oogst oom oor oorlog oost
opdracht opening opleiding oplossing opslag optie oranje orde organisatie oven overheid paard pad pak paleis pan paneel pap paper
papier park parkeer partij pas pasta patient peer pen pensioen peper pers persoon peuter piano pijn pijp pil pin plaat plaats
plan plank plant plas plastic plein ploeg poes polder politie polis pomp poort pop post postcode pot prijs prins prinses
probleem procent proces product productie professor programma project proef puin punt raad raam radio ramp rand rapport recht rechter
rechtbank reclame reden regel regen regering regio register reis rekening relatie rente republiek reserve restaurant resultaat
richting ridder riem rijk rit risico rivier robot rok rol roman roof rook room roos route rug ruimte ruzie salaris sap saus schaap
schaal schade schakel schaduw schandaal schap schat schepen schema scherm schip schoen school schoonheid schotel schouder schrift schrijver
schuld schuur seizoen sector sein sigaar sigaret slaap slag slager slak slang sleutel slot sneeuw snelheid soep sok soldaat soort spek spel
speler spiegel spier spin spoor sport spraak sprong staal staat stad stal stam stand stap station stem steen stelsel stijl stof
stoel storm straat straf strand streek strijd stroom student studie studio stuk suiker systeem taak taal tafel tak tand tante tapijt
tas taxi techniek teken tekst telefoon televisie tempel tent terrein test thee theater thuis tijd tijger titel toerist toestel toets
toeval ton toneel tong toren touw traan trap trein trouw tuin tunnel tussen uitgang uitgave uitkering uitslag uitvoer uitvoering
uitzending uur vader vak vakantie val valk vat vee veiligheid veld ventiel verband verbinding verbod verdrag vereniging verf vergadering
vergunning verhaal verhuur verkeer verkiezing verkoop verkoper verlies verlof verpakking verslag vertaling vertrek vervoer verwarming
verzekering verzoek verzorging video vijand vijver vinger vis visser vlag vlees vleugel vlieg vliegtuig vlinder vloed vloer vlucht voet voetbal
vogel volk voorbeeld voordeel voorraad voorstel voorstelling voorwaarde vork vorm vorst vos vraag vracht vrede vriend vrijheid vrouw vrucht
vuil vuist vuur waarde wacht wagen wal wand wandel wapen warmte water web week weer weg wei weide wereld werk werker werkgever werknemer
west wet wetenschap wezen wiel wijk wijn wind winkel winst winter wol wolf wolk wond woning woord worst worm wortel woud zaad zaag zaak
zaal zak zalf zand zang zeep zeil ziel ziekte zilver zin zon zoon zorg zout zuid zuivel zuster zwaard zwembad zomer
`

/** Words that only stand before others. */
export const DUTCH_MODIFIERS = `
achter binnen boven buiten groot hoofd klein midden oud tussen zelf bloot snel
koel was zwem speel lees schrijf slaap woon bouw reken teken stook kook rij ren vaar vlieg spaar leen huur koop
`
