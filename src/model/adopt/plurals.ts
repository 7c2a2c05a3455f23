/** Singulars and plurals of names, in English and German. */

/** The language in which a source has its names. */
export type NameLanguage = 'en' | 'de'

type Pair = readonly [one: string, many: string]

const pairs = (text: string): readonly Pair[] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('/') as unknown as Pair)

/** Words whose plural no rule gives, or whose singular none finds. */
const ENGLISH = pairs(`
  person/people child/children man/men woman/women mouse/mice foot/feet tooth/teeth goose/geese
  criterion/criteria phenomenon/phenomena analysis/analyses crisis/crises thesis/theses
  hypothesis/hypotheses diagnosis/diagnoses synopsis/synopses axis/axes matrix/matrices
  index/indices vertex/vertices appendix/appendices half/halves leaf/leaves shelf/shelves
  knife/knives life/lives wife/wives wolf/wolves thief/thieves quiz/quizzes hero/heroes
  potato/potatoes tomato/tomatoes echo/echoes veto/vetoes cargo/cargoes movie/movies
  cookie/cookies calorie/calories tie/ties pie/pies zombie/zombies selfie/selfies
  cache/caches niche/niches headache/headaches alias/aliases atlas/atlases bias/biases
  canvas/canvases gas/gases lens/lenses menu/menus bus/buses axe/axes
  gross/gross chassis/chassis
`)
const UNCOUNTED = new RegExp(
  '(?:data|info|information|news|series|species|staff|equipment|stock|media|feedback|software|' +
    'hardware|furniture|money|music|personnel|sheep|fish|aircraft|analytics|statistics|' +
    'logistics|meta|payroll)$',
  'i',
)

const GERMAN = pairs(`
  kunde/kunden lieferant/lieferanten adresse/adressen konto/konten auftrag/auftraege
  angebot/angebote produkt/produkte firma/firmen land/laender ort/orte buch/buecher
  person/personen projekt/projekte vertrag/vertraege kontakt/kontakte raum/raeume
  fahrzeug/fahrzeuge patient/patienten termin/termine beleg/belege gruppe/gruppen datei/dateien
  bild/bilder dokument/dokumente mitglied/mitglieder verein/vereine kurs/kurse klasse/klassen
  note/noten fach/faecher autor/autoren verlag/verlage haus/haeuser zeile/zeilen stadt/staedte
  kategorie/kategorien satz/saetze preis/preise tarif/tarife ware/waren stelle/stellen
  rolle/rollen aufgabe/aufgaben nachricht/nachrichten eintrag/eintraege beitrag/beitraege
  betrag/betraege geraet/geraete anlage/anlagen abteilung/abteilungen filiale/filialen
  sprache/sprachen status/status stueck/stuecke zahl/zahlen art/arten typ/typen
  anfrage/anfragen ausgabe/ausgaben einnahme/einnahmen zutat/zutaten rezept/rezepte
  spiel/spiele tag/tage monat/monate jahr/jahre arzt/aerzte
`)
/** German words that are one and many: `Artikel`, `Mitarbeiter`. */
const GERMAN_SAME = new RegExp(
  '(?:artikel|mitarbeiter|benutzer|hersteller|lager|schueler|lehrer|mieter|posten|nutzer|titel|' +
    'fehler|zimmer|besucher|spieler|fahrer|leser|kalender|ordner|muster|vorgaenger)$',
  'i',
)

/** The plural of a word; where there is none, a list: `StaffList`, `ArtikelListe`. */
export function toPlural(one: string, language: NameLanguage = 'en'): string {
  return language === 'de' ? toGermanPlural(one) : toEnglishPlural(one)
}

function toEnglishPlural(one: string): string {
  const irregular = swapEnd(one, ENGLISH)
  if (irregular !== undefined && irregular !== one) return irregular
  if (UNCOUNTED.test(one) || /\d$/.test(one)) return `${one}List`
  if (/[^aeiou]y$/i.test(one)) return `${one.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/i.test(one) ? `${one}es` : `${one}s`
}

function toGermanPlural(one: string): string {
  const known = swapGlued(one, GERMAN)
  if (known !== undefined && known !== one) return known
  return /(?:ung|heit|keit|schaft|taet|ion)$/i.test(one) ? `${one}en` : `${one}Liste`
}

/** The word for one of them; the same where it is that already. */
export function toSingular(many: string, language: NameLanguage = 'en'): string {
  return language === 'de' ? toGermanSingular(many) : toEnglishSingular(many)
}

const reversed = (list: readonly Pair[]): readonly Pair[] => list.map(([one, many]) => [many, one])
const ENGLISH_MANY = reversed(ENGLISH)
const GERMAN_MANY = reversed(GERMAN)

function toEnglishSingular(many: string): string {
  const irregular = swapEnd(many, ENGLISH_MANY) ?? keepOne(many, ENGLISH)
  if (irregular !== undefined) return irregular
  if (UNCOUNTED.test(many) || /(?:ss|us|is)$/i.test(many)) return many
  if (/[^aeiou]ies$/i.test(many)) return `${many.slice(0, -3)}y`
  if (/(?:ouses|auses|[fm]uses|cuses|^uses)$/i.test(many)) return many.slice(0, -1)
  if (/(?:sses|shes|ches|xes|zzes|uses)$/i.test(many)) return many.slice(0, -2)
  return /[a-z]s$/i.test(many) ? many.slice(0, -1) : many
}

function toGermanSingular(many: string): string {
  if (GERMAN_SAME.test(many)) return many
  const known = swapGlued(many, GERMAN_MANY)
  if (known !== undefined) return known
  return /(?:ung|heit|keit|schaft|taet|ion)en$/i.test(many) ? many.slice(0, -2) : many
}

/** Keeps a word that is one of them already: `Atlas`, `Lens`. */
const keepOne = (word: string, list: readonly Pair[]): string | undefined =>
  swapEnd(word, list) === undefined ? undefined : word

/** Swaps the last word of a name, which begins with a capital or is the whole name. */
function swapEnd(word: string, list: readonly Pair[]): string | undefined {
  for (const [from, to] of list) {
    if (!word.toLowerCase().endsWith(from)) continue
    const before = word.charAt(word.length - from.length - 1)
    const first = word.charAt(word.length - from.length)
    // `Human` is not a `man`: the word begins the name, or a word of it.
    if (before === '' || first === first.toUpperCase()) return swap(word, from, to)
  }
  return undefined
}

/** Swaps the end of a name: German words are glued, as in `Rechnungspositionen`. */
function swapGlued(word: string, list: readonly Pair[]): string | undefined {
  const found = list
    .filter(([from]) => word.toLowerCase().endsWith(from))
    .toSorted(([one], [other]) => other.length - one.length)[0]
  return found && swap(word, ...found)
}

function swap(word: string, from: string, to: string): string {
  const first = word.charAt(word.length - from.length)
  const isCapital = first !== first.toLowerCase()
  const end = isCapital ? to.charAt(0).toUpperCase() + to.slice(1) : to
  return word.slice(0, -from.length) + end
}
