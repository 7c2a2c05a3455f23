import type { Translations } from '../../kernel/messages.ts'

/** Roles, rights and their explanations in German. */
export const ACCESS_GERMAN: Translations = [
  [
    '{0} would grant it, but only System can assign that role',
    '{0} würde es gewähren, diese Rolle kann aber nur System vergeben',
  ],
  [
    '{0} would grant it, and can be assigned by {1}',
    '{0} würde es gewähren, vergeben kann diese Rolle: {1}',
  ],
  [
    'A role name must be letters, digits and underscores, starting with a letter',
    'Ein Rollenname beginnt mit einem Buchstaben und hat nur Buchstaben, Ziffern und ' +
      'Unterstriche',
  ],
  ['A role with this name already exists', 'Eine Rolle mit diesem Namen gibt es bereits'],
  [
    'The roles were changed by someone else. Please try again.',
    'Die Rollen wurden von jemand anderem geändert. Bitte versuchen Sie es noch einmal.',
  ],
  [
    'This is a built-in role and cannot be changed',
    'Das ist eine eingebaute Rolle, sie kann nicht geändert werden',
  ],
  [
    'This role is declared in {0}. Remove it there and deploy again.',
    'Diese Rolle steht in {0}. Entfernen Sie sie dort und spielen Sie das Modell erneut ein.',
  ],
  [
    'Users still have this role. Remove it from them first.',
    'Benutzer haben diese Rolle noch. Entziehen Sie sie ihnen zuerst.',
  ],
  [
    'Only users who manage access in all their companies can change roles',
    'Nur wer in allen seinen Firmen den Zugriff verwaltet, kann Rollen ändern',
  ],
  ['There is no such node', 'Diesen Knoten gibt es nicht'],
  [
    'There is no verb, capability or action with this name here',
    'Ein Verb, eine Befugnis oder Aktion mit diesem Namen gibt es hier nicht',
  ],
  ['The user is locked', 'Der Benutzer ist gesperrt'],
  ['The user does not belong to this company', 'Der Benutzer gehört nicht zu dieser Firma'],
  ['No role of the user grants {0} on {1}', 'Keine Rolle des Benutzers gewährt {0} auf {1}'],
  ['{0} grants {1} on {2}', '{0} gewährt {1} auf {2}'],
  [
    'Row filters limit which records this applies to',
    'Zeilenfilter schränken ein, für welche Datensätze das gilt',
  ],
  [
    'You cannot see this record yourself, so it was left out of the explanation',
    'Sie sehen diesen Datensatz selbst nicht, deshalb bleibt er in der Erklärung außer ' +
      'Betracht',
  ],
  [
    'A condition uses a field that is hidden from you',
    'Eine Bedingung verwendet ein Feld, das Ihnen verborgen ist',
  ],
  [
    'The record matches all filters and conditions',
    'Der Datensatz erfüllt alle Filter und Bedingungen',
  ],
  [
    'Row filters hide this record from the user',
    'Zeilenfilter verbergen diesen Datensatz vor dem Benutzer',
  ],
  ['There is no principal {0}', 'Benutzer oder Rolle {0} gibt es nicht'],
  ['There is no resource {0}', 'Die Ressource {0} gibt es nicht'],
  ['There is no verb or capability {0}', 'Das Verb oder die Befugnis {0} gibt es nicht'],
  [
    'At most {0} cells can be loaded at once. Name fewer Principals or Resources.',
    'Höchstens {0} Zellen lassen sich auf einmal laden. Bitte nennen Sie weniger ' +
      'Principals oder Resources.',
  ],
  ['The same cell is changed twice: {0}, {1}', 'Dieselbe Zelle wird zweimal geändert: {0}, {1}'],
  [
    'A role cannot be a member of another role',
    'Eine Rolle kann nicht Mitglied einer anderen Rolle sein',
  ],
  [
    'Users get rights through roles. Assign a role, or grant the right to a role.',
    'Benutzer erhalten Rechte über Rollen. Geben Sie dem Benutzer eine Rolle oder einer ' +
      'Rolle das Recht.',
  ],
  [
    'The verb of a role membership must be {0}',
    'Das Verb einer Rollenmitgliedschaft muss {0} sein',
  ],
  [
    '{0} has {1} in all companies. Remove it in the Global scope.',
    '{0} hat {1} in allen Firmen. Entziehen Sie sie im Bereich Global.',
  ],
  [
    'You can only change rights that you have yourself: {0} on {1}, role {2}',
    'Sie können nur Rechte ändern, die Sie selbst haben: {0} auf {1}, Rolle {2}',
  ],
  [
    'System always has all rights. They cannot be changed.',
    'System hat immer alle Rechte. Sie lassen sich nicht ändern.',
  ],
  [
    'The rights were changed by someone else. Reload them and try again.',
    'Die Rechte wurden von jemand anderem geändert. Bitte laden Sie sie neu und versuchen ' +
      'Sie es noch einmal.',
  ],
  ['The Rbac has {0} errors. The first one: {1}', 'Das Rbac hat {0} Fehler. Der erste: {1}'],
  ['{0} does not belong to company {1}', '{0} gehört nicht zur Firma {1}'],
]
