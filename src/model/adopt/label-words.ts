/** Words of names, and how people write them. */

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Abbreviations by their lower case: `vat` is `VAT`. */
export const ACRONYMS: ReadonlyMap<string, string> = new Map(
  words(`
    ID IDs URL URI VAT ISBN ISSN EAN GTIN SKU UPC IBAN BIC PDF XML JSON HTML CSS HTTP HTTPS API UUID
    GUID IP IPv4 IPv6 MAC USA UK EU USD EUR GBP CHF SMS MMS GPS DNS CPU GPU RAM RFID SSN
    FAQ CEO PO QR
    UTC CSV SQL CRM ERP ETA ETD KPI TV DVD CD PIN ZIP MIME SSH SSL TLS SEO ISO MD5 SHA OS UI SLA
    PLZ MwSt USt KFZ GmbH EDV AGB DSGVO MB GB KB
  `).map((word) => [word.toLowerCase(), word]),
)

const toMap = (text: string): ReadonlyMap<string, string> =>
  new Map(
    words(text).map(
      (pair) => pair.split('=').map((part) => part.replaceAll('_', ' ')) as [string, string],
    ),
  )

/** Short forms in English, each written out. */
export const SHORT_FORMS = toMap(`
  qty=quantity amt=amount desc=description descr=description addr=address dept=department
  cust=customer emp=employee acct=account dob=date_of_birth fname=first_name lname=last_name
  pct=percent avg=average num=number nr=number tel=telephone prod=product cnt=count
  firstname=first_name lastname=last_name zipcode=ZIP_code postcode=postcode lang=language
  img=image pic=picture msg=message cfg=configuration src=source dest=destination
`)

/** Words that make up others written without a boundary: `orderdate` is `order date`. */
export const PARTS: ReadonlySet<string> = new Set(
  words(`
    account active address amount author begin billing birth book bank brand category city code
    comment company contact content count country created credit currency customer date day
    delivery department description discount display document due email employee end event
    expiry family file first from full given group hire home hour image in invoice item job key
    language last level line link list location mail manager max middle min mobile modified
    month name net next note number of on option order owner page paid parent password payment
    phone picture postal price product profile project purchase quantity rate region report
    required role sale sales score sender serial ship shipped shipping size start state status
    stock store street sort supplier tag tax team term text time title to total type unit
    subtotal subtitle timeline notebook homepage deadline headline tagline username filename
    update updated user valid value vendor version weight work year zone
  `),
)

/** German letters that names without them spell in two. */
export const UMLAUTS: readonly (readonly [ascii: string, written: string])[] = words(`
  strasse=straße groesse=größe gueltig=gültig geaendert=geändert aender=änder hoehe=höhe
  laenge=länge waehrung=währung faellig=fällig stueck=stück schluessel=schlüssel laender=länder
  auftraege=aufträge buecher=bücher vertraege=verträge raeume=räume faecher=fächer
  schueler=schüler staedte=städte haeuser=häuser saetze=sätze fuer=für ueber=über
  zusaetz=zusätz geraet=gerät kuendig=kündig bestaetig=bestätig verfueg=verfüg taet=tät
  beitraege=beiträge betraege=beträge eintraege=einträge zaehler=zähler oeffn=öffn loesch=lösch
  rueck=rück kuerz=kürz pruef=prüf aerzte=ärzte gehaelter=gehälter jaehr=jähr
  waehl=wähl maenn=männ hoechst=höchst naechst=nächst vollstaend=vollständ
`).map((pair) => pair.split('=') as unknown as readonly [string, string])

/** German words that stay as they are, in small letters, in a label. */
export const GERMAN_SMALL: ReadonlySet<string> = new Set(
  words('am von bis und oder der die das in im für zu ab aus pro je an auf mit ohne bei ist hat'),
)

/** German words before a noun that are written apart from it. */
export const GERMAN_APART = /(?:e|er|es|en|t|ig|lich|isch)$/

/** German nouns that end a compound: `KundenNummer` is `Kundennummer`. */
export const GERMAN_ENDS: ReadonlySet<string> = new Set(
  words(`
    nummer datum name preis adresse art typ status code betrag menge satz gruppe konto ort land
    zeit text schlüssel straße einheit anschrift titel position wert stand jahr tag monat
    währung kennung bezeichnung zahl termin bestand
  `),
)

/** Words that only German names have. */
export const GERMAN_WORDS: ReadonlySet<string> = new Set(
  words(`
    kunde kunden bestellung bestellungen rechnung rechnungen lieferant lieferanten mitarbeiter
    adresse adressen strasse straße plz ort datum preis menge bezeichnung nummer vorname nachname
    geburtsdatum telefon betrag einheit lieferung auftrag auftraege aufträge angebot angebote
    abteilung firma anrede bemerkung beschreibung kategorie erstellt geaendert geändert gueltig
    gültig von bis am anzahl steuer steuersatz lager land kundennr kundennummer artikelnr artikel
    rechnungsnummer bestellnummer konto konten benutzer benutzername kennwort passwort aktiv
    positionen mwst ust stueck stück groesse größe farbe gewicht waehrung währung zahlung
    buchung buchungen vertrag termine termin projekt projekte aufgabe aufgaben
  `),
)
