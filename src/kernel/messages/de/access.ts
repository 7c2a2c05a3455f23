/** Who may do what: roles, the access board, explanations, the audit. */
export const ACCESS: readonly (readonly [english: string, german: string])[] = [
  ['There is no user {0}', 'Es gibt keinen Benutzer {0}'],
  ['A name has 1 to {0} visible characters', 'Ein Name hat 1 bis {0} sichtbare Zeichen'],
  ['The role {0} is given and taken by System alone', 'Die Rolle {0} gibt und nimmt allein System'],
  [
    'Nobody gives roles to themselves, or takes their own',
    'Niemand gibt sich selbst Rollen oder nimmt die eigenen',
  ],
  [
    'Nobody changes the roles of users who hold more than they may give',
    'Niemand ändert Rollen von Benutzern, die mehr haben, als er vergeben darf',
  ],
  [
    'The role {0} is assignable by nobody but System, and grants more than you have',
    'Die Rolle {0} vergibt nur System, und sie gewährt mehr, als Sie haben',
  ],
  [
    'The role {0} is assignable by {1}, and grants more than you have',
    'Die Rolle {0} vergibt {1}, und sie gewährt mehr, als Sie haben',
  ],
  [
    '{0} would grant it, and is given by System alone',
    '{0} würde es gewähren, und wird allein von System vergeben',
  ],
  [
    '{0} would grant it, and is assignable by {1}',
    '{0} würde es gewähren, und wird von {1} vergeben',
  ],
  ['There is no such user', 'Diesen Benutzer gibt es nicht'],
  ['There is no such company', 'Diese Firma gibt es nicht'],
  ['A key needs its object', 'Ein Schlüssel braucht sein Objekt'],
  ['The key is no JSON array', 'Der Schlüssel ist kein JSON-Array'],
  [
    "'{0}' is no instant, day or date word",
    "'{0}' ist kein Zeitpunkt, kein Tag und kein Datumswort",
  ],
  ["'limit' is a number from 1 to {0}", "'limit' ist eine Zahl von 1 bis {0}"],
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
  ['This is no text that can be searched for', 'Nach diesem Text kann nicht gesucht werden'],
  ['Nobody locks or deletes themselves', 'Niemand sperrt oder löscht sich selbst'],
  [
    'Change your own password where the present one is asked for',
    'Ändern Sie Ihr eigenes Kennwort dort, wo nach dem jetzigen gefragt wird',
  ],
  [
    'Attributes decide what you see: somebody else has to change yours',
    'Attribute entscheiden, was Sie sehen: Ihre muss jemand anderes ändern',
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
    'Roles in all companies are given and taken by System',
    'Rollen in allen Firmen vergibt und nimmt System',
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
]
