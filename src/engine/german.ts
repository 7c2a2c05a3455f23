import type { Translations } from '../kernel/messages.ts'

/** Texts of the engine's parts in German, without those of objects. */
export const GERMAN: Translations = [
  ['It reads what no view shows you', 'Sie liest, was Ihnen keine Ansicht zeigt'],
  ['The report has {0} faults, the first: {1}', 'Der Bericht hat {0} Fehler, der erste: {1}'],
  ['A report writes nothing', 'Ein Bericht schreibt nichts'],
  ["'{0}' gave neither rows nor a file", '„{0}“ gab weder Zeilen noch eine Datei'],
  ['The report has no draft', 'Der Bericht hat keinen Entwurf'],
  ['The draft is not there any more', 'Den Entwurf gibt es nicht mehr'],
  [
    'The draft was changed by {0} at {1}: load it again',
    'Der Entwurf wurde von {0} am {1} geändert: bitte neu laden',
  ],
  [
    'The draft was changed at {0}: load it again',
    'Der Entwurf wurde am {0} geändert: bitte neu laden',
  ],
  ['Another report is called {0}', 'Ein anderer Bericht heißt {0}'],
  ['The report has a fault: {0}', 'Der Bericht hat einen Fehler: {0}'],
  ['The report is not there any more', 'Den Bericht gibt es nicht mehr'],
  [
    'The report was changed at {0}: load it again',
    'Der Bericht wurde am {0} geändert: bitte neu laden',
  ],
  [
    'Your drafts and versions of reports may take {0} bytes (Svc:Reports:UserQuota)',
    'Ihre Entwürfe und Fassungen von Berichten dürfen {0} Bytes belegen (Svc:Reports:UserQuota)',
  ],
  ['The definition is too large to be read', 'Die Definition ist zu groß, um gelesen zu werden'],
  [
    'The versions differ in more than {0} bytes: read them both',
    'Die Fassungen unterscheiden sich in mehr als {0} Bytes: bitte beide lesen',
  ],
  [
    'The report was changed by {0} at {1}: load it again',
    'Der Bericht wurde von {0} am {1} geändert: bitte neu laden',
  ],
  ['The definition is not encoded as UTF-8', 'Die Definition ist nicht als UTF-8 kodiert'],
  ['The definition is over {0} bytes', 'Die Definition hat mehr als {0} Bytes'],
  ['There is no such version', 'Diese Version gibt es nicht'],
  ['There is no such report', 'Diesen Bericht gibt es nicht'],
  ['A report is mailed in a company', 'Ein Bericht wird in einer Firma versandt'],
  ['You may not List this report', 'Sie dürfen diesen Bericht nicht auflisten'],
  [
    'It was not there within the {0} ms of Svc:Reports:Timeout',
    'Sie war innerhalb der {0} ms von Svc:Reports:Timeout nicht da',
  ],
  [
    'A row filter of your roles does not fit this dataset',
    'Ein Zeilenfilter Ihrer Rollen passt nicht zu dieser Datenmenge',
  ],
  [
    'Only the first {0} rows are shown (Svc:Reports:MaxRows)',
    'Nur die ersten {0} Zeilen werden gezeigt (Svc:Reports:MaxRows)',
  ],
  [
    'Only rows of {0} bytes are shown (Svc:Results:MaxBytes)',
    'Nur Zeilen von {0} Bytes werden gezeigt (Svc:Results:MaxBytes)',
  ],
  [
    'The compiler stopped before its end, and nothing was changed: deploy again',
    'Der Compiler endete vorzeitig, und nichts wurde geändert: bitte das Modell erneut einspielen',
  ],
  [
    'The engine was replaced while it ran, and nothing was changed: start it again',
    'Das Programm wurde im Lauf ersetzt, und nichts wurde geändert: bitte neu starten',
  ],
  ['This is required', 'Das ist erforderlich'],
  [
    '{0} would grant it, and is given by System alone',
    '{0} würde es gewähren, und wird allein von System vergeben',
  ],
  [
    '{0} would grant it, and is assignable by {1}',
    '{0} würde es gewähren, und wird von {1} vergeben',
  ],
  [
    'A role’s name has letters, digits and underscores',
    'Der Name einer Rolle hat Buchstaben, Ziffern und Unterstriche',
  ],
  ['There is a role with this name', 'Es gibt schon eine Rolle mit diesem Namen'],
  ['There is no such role', 'Diese Rolle gibt es nicht'],
  [
    'Roles were changed meanwhile: try again',
    'Die Rollen wurden inzwischen geändert: bitte erneut versuchen',
  ],
  ['This role is built in', 'Diese Rolle ist eingebaut'],
  [
    'This role is declared in {0}: remove it there and deploy',
    'Diese Rolle steht in {0}: entfernen Sie sie dort und rollen Sie aus',
  ],
  [
    'Users hold this role: take it from them first',
    'Benutzer haben diese Rolle: nehmen Sie sie ihnen zuerst',
  ],
  [
    'Roles are changed by those who manage access in all of their companies',
    'Rollen ändern nur die, die in allen ihren Firmen den Zugriff verwalten',
  ],
  ['There is no such node', 'Diesen Knoten gibt es nicht'],
  [
    'There is no verb, capability or action of this name here',
    'Ein Recht, eine Befugnis oder Aktion dieses Namens gibt es hier nicht',
  ],
  ['The user is locked', 'Der Benutzer ist gesperrt'],
  ['The company is closed', 'Die Firma ist geschlossen'],
  ['The user does not belong to this company', 'Der Benutzer gehört nicht zu dieser Firma'],
  ['No role of the user grants {0} on {1}', 'Keine Rolle des Benutzers gewährt {0} auf {1}'],
  ['{0} grants {1} on {2}', '{0} gewährt {1} auf {2}'],
  [
    'Row filters narrow which records it reaches',
    'Zeilenfilter schränken ein, welche Datensätze erreicht werden',
  ],
  [
    'You do not see this record yourself: what holds without it is told',
    'Sie sehen diesen Datensatz selbst nicht: gesagt wird, was ohne ihn gilt',
  ],
  [
    'A condition names a field that is hidden from you',
    'Eine Bedingung nennt ein Feld, das Ihnen verborgen ist',
  ],
  [
    'The record passes every filter and condition',
    'Der Datensatz besteht jeden Filter und jede Bedingung',
  ],
  [
    'Row filters hide this record from the user',
    'Zeilenfilter verbergen diesen Datensatz vor dem Benutzer',
  ],
  ['There is no principal {0}', 'Einen Träger {0} gibt es nicht'],
  ['There is no resource {0}', 'Eine Ressource {0} gibt es nicht'],
  ['There is no verb or capability {0}', 'Ein Verb oder eine Befugnis {0} gibt es nicht'],
  [
    'Name fewer Principals or Resources: at most {0} cells at once',
    'Weniger Principals oder Resources nennen: höchstens {0} Zellen auf einmal',
  ],
  ['Two changes of one cell: {0}, {1}', 'Zwei Änderungen einer Zelle: {0}, {1}'],
  [
    'A role cannot be a member of another role',
    'Eine Rolle kann nicht Mitglied einer anderen Rolle sein',
  ],
  [
    'Users hold rights through roles: give a role, or give the right to a role',
    'Benutzer haben Rechte durch Rollen: eine Rolle geben, oder das Recht einer Rolle geben',
  ],
  ['The verb of a membership is {0}', 'Das Verb einer Mitgliedschaft ist {0}'],
  [
    '{0} holds {1} in all companies: take it in scope Global',
    '{0} hat {1} in allen Firmen: im Bereich Global nehmen',
  ],
  [
    'Nobody hands out or takes what they do not hold: {0} on {1}, role {2}',
    'Niemand vergibt oder nimmt, was er nicht hat: {0} auf {1}, Rolle {2}',
  ],
  [
    'System passes every gate: its rights cannot be changed',
    'System darf alles: seine Rechte sind nicht zu ändern',
  ],
  [
    'The access board moved meanwhile: load it again',
    'Die Rechte wurden inzwischen geändert: bitte neu laden',
  ],
  ['The Rbac has {0} faults, the first: {1}', 'Das Rbac hat {0} Fehler, der erste: {1}'],
  ['{0} does not belong to company {1}', '{0} gehört nicht zur Firma {1}'],
  ['No such upload', 'Diesen Upload gibt es nicht'],
  [
    'Your waiting uploads may take {0} KB: remove some first',
    'Ihre wartenden Uploads dürfen {0} KB belegen: zuerst welche entfernen',
  ],
  ['Format is one of: {0}', 'Format ist eines von: {0}'],
  [
    '{0} has a text of over {1} characters, which no cell holds: take csv',
    '{0} hat einen Text von über {1} Zeichen, den keine Zelle fasst: csv wählen',
  ],
  [
    'A formula in the head has no stored value: open the file in a spreadsheet and save it',
    'Eine Formel im Kopf hat keinen Wert: in einer Tabellenkalkulation speichern',
  ],
  [
    'You have {0} exported files, the most (Svc:Exports:UserFiles)',
    'Sie haben {0} exportierte Dateien, mehr gehen nicht (Svc:Exports:UserFiles)',
  ],
  [
    'Your exported files may take {0} KB (Svc:Exports:UserQuota)',
    'Ihre exportierten Dateien dürfen {0} KB belegen (Svc:Exports:UserQuota)',
  ],
  [
    'The quotation mark on line {0} is never closed',
    'Das Anführungszeichen in Zeile {0} wird nie geschlossen',
  ],
  ['A cell on line {0} is too long', 'Eine Zelle in Zeile {0} ist zu lang'],
  ['Line {0} has too many cells', 'Zeile {0} hat zu viele Zellen'],
  ['Line {0} is no JSON object', 'Zeile {0} ist kein JSON-Objekt'],
  ['Line {0} holds more than {1} values', 'Zeile {0} hat mehr als {1} Werte'],
  ['Line {0} is too long', 'Zeile {0} ist zu lang'],
  [
    "Line {0} has the member '{1}', the first has not",
    'Zeile {0} hat das Feld „{1}“, die erste nicht',
  ],
  ['This is no text file', 'Das ist keine Textdatei'],
  ['This is no workbook that can be read', 'Das ist keine lesbare Arbeitsmappe'],
  [
    'The workbook is encrypted: save it without a password',
    'Die Arbeitsmappe ist verschlüsselt: Speichern Sie sie ohne Kennwort',
  ],
  [
    'The workbook took too long to read, or too much memory',
    'Die Arbeitsmappe zu lesen dauerte zu lange oder brauchte zu viel Speicher',
  ],
  ['No object of this name', 'Kein Objekt dieses Namens'],
  ["'{0}' has no key to change records by", "'{0}' hat keinen Schlüssel, um Datensätze zu ändern"],
  [
    'This is not possible in the present state of the record',
    'Das ist im jetzigen Zustand des Datensatzes nicht möglich',
  ],
  ["Parameter '{0}': {1}", "Parameter '{0}': {1}"],
  ["Unknown field '{0}'", "Unbekanntes Feld '{0}'"],
  ['Sort takes at most {0} fields', 'Sort nimmt höchstens {0} Felder'],
  [
    "Sort of '{0}': the direction is asc or desc",
    "Sort nach '{0}': die Richtung ist asc oder desc",
  ],
  [
    "The result of '{0}' is larger than {1} characters",
    'Das Ergebnis von „{0}“ ist größer als {1} Zeichen',
  ],
  [
    "'{0}' ended its process; the server's log has the reason",
    '„{0}“ hat seinen Prozess beendet; der Grund steht im Protokoll des Servers',
  ],
  [
    'A query gives at most {0} rows: narrow it',
    'Eine Abfrage gibt höchstens {0} Zeilen: bitte enger fassen',
  ],
  ['SQL may have {0} characters', 'SQL darf {0} Zeichen haben'],
  [
    "'{0}' took longer than {1} seconds and was ended",
    '„{0}“ hat länger als {1} Sekunden gebraucht und wurde beendet',
  ],
  [
    "'{0}' took more than {1} MB and was ended",
    '„{0}“ hat mehr als {1} MB gebraucht und wurde beendet',
  ],
  ["'{0}' failed: {1}", '„{0}“ ist gescheitert: {1}'],
  [
    "'{0}' failed; the server's log has the reason",
    '„{0}“ ist gescheitert; der Grund steht im Protokoll des Servers',
  ],
  ['Parameters may have {0} characters as JSON', 'Parameters dürfen als JSON {0} Zeichen haben'],
  ['The request is not valid: {0}', 'Die Anfrage ist nicht gültig: {0}'],
  ['This is no name of a procedure', 'Das ist kein Name einer Prozedur'],
  ['There is no such procedure', 'Diese Prozedur gibt es nicht'],
  ['Parameters take at most {0} characters', 'Parameter haben höchstens {0} Zeichen'],
  ['Limit is from 1 to {0}', 'Limit liegt zwischen 1 und {0}'],
  ['GroupBy takes at most {0} fields', 'GroupBy nimmt höchstens {0} Felder'],
  [
    'A query names at most {0} fields along references',
    'Eine Abfrage nennt höchstens {0} Felder entlang von Verweisen',
  ],
  ['A query follows at most {0} references', 'Eine Abfrage folgt höchstens {0} Verweisen'],
  ['Aggregates are at most {0}', 'Aggregates sind höchstens {0}'],
  [
    "The result has two columns '{0}': name one by As",
    'Das Ergebnis hat zwei Spalten „{0}“: benennen Sie eine durch As',
  ],
  [
    "GroupBy of '{0}': a list or a document has no groups",
    'GroupBy von „{0}“: eine Liste oder ein Dokument hat keine Gruppen',
  ],
  ["GroupBy of '{0}': a part of a date is {1}", 'GroupBy von „{0}“: ein Teil eines Datums ist {1}'],
  ["GroupBy of '{0}': only a date has parts", 'GroupBy von „{0}“: nur ein Datum hat Teile'],
  ["GroupBy of '{0}': a day has no {1}", 'GroupBy von „{0}“: ein Tag hat kein {1}'],
  ['Function of an aggregate is one of {0}', 'Function eines Aggregats ist eine von {0}'],
  ['An aggregate {0} names its Field', 'Ein Aggregat {0} nennt sein Field'],
  ["{0} of '{1}': not for a field of its type", '{0} von „{1}“: nicht für ein Feld seines Typs'],
  [
    'As of an aggregate is a letter, then letters and digits',
    'As eines Aggregats ist ein Buchstabe, dann Buchstaben und Ziffern',
  ],
  [
    'Fields are for rows: a grouped query answers GroupBy and Aggregates',
    'Fields gilt für Zeilen: eine gruppierte Abfrage antwortet mit GroupBy und Aggregates',
  ],
  ['The server is being stopped', 'Der Server wird angehalten'],
  ['Drawing the document took too long', 'Das Zeichnen des Dokuments hat zu lange gedauert'],
  [
    'Drawing the document took too much memory',
    'Das Zeichnen des Dokuments hat zu viel Speicher gebraucht',
  ],
  ['The document could not be drawn', 'Das Dokument konnte nicht gezeichnet werden'],
  [
    'The document has more than {0} pages: ask for less of it',
    'Das Dokument hat mehr als {0} Seiten: verlangen Sie weniger davon',
  ],
  [
    'The arguments of a job take at most {0} bytes',
    'Die Argumente eines Auftrags dürfen höchstens {0} Bytes lang sein',
  ],
  [
    "The job is the engine's own and has no user",
    'Der Auftrag ist ein eigener der Engine und hat keinen Benutzer',
  ],
  ['There is no such job', 'Diesen Auftrag gibt es nicht'],
  ['There is no such notification', 'Diese Benachrichtigung gibt es nicht'],
  ['A digest is of a company', 'Eine Zusammenfassung ist die einer Firma'],
  ['and {0} more', 'und {0} weitere'],
  ['Unread notifications: {0}', 'Ungelesene Benachrichtigungen: {0}'],
  ['There is no such webhook', 'Diesen Webhook gibt es nicht'],
  ['There is no such delivery', 'Diese Zustellung gibt es nicht'],
  ['There is no such recurring job', 'Diesen wiederkehrenden Auftrag gibt es nicht'],
  ['Further faults: {0}', 'Weitere Fehler: {0}'],
  ['It took longer than it may', 'Es hat länger gedauert, als es darf'],
  ['The log of the server has the reason', 'Das Protokoll des Servers hat den Grund'],
  ['The server ended while it ran', 'Der Server endete, während es lief'],
  [
    'The job runs already, or waits for a worker',
    'Der Auftrag läuft bereits oder wartet auf einen freien Platz',
  ],
  ['A webhook was turned off: {0}', 'Ein Webhook wurde abgeschaltet: {0}'],
  ['The receiver is gone (410)', 'Der Empfänger ist nicht mehr da (410)'],
  ['It took nothing for five days', 'Er nahm fünf Tage lang nichts an'],
]
