/** Sentences of backups in German, by their English template. */
import type { Translations } from '../../kernel/messages.ts'

export const GERMAN: Translations = [
  ['There is no such backup', 'Diese Sicherung gibt es nicht'],
  ['A backup failed', 'Eine Sicherung ist fehlgeschlagen'],
  ['The backup failed: {0}', 'Die Sicherung ist fehlgeschlagen: {0}'],
  ['A backup is already being made', 'Eine Sicherung läuft bereits'],
  ['The backup was made: {0} files, {1} bytes', 'Die Sicherung steht: {0} Dateien, {1} Bytes'],
  [
    'The backup was restored for a trial, and all of it is whole',
    'Die Sicherung wurde probeweise wiederhergestellt und ist ganz',
  ],
  [
    'The backup {0} cannot be restored: {1}',
    'Die Sicherung {0} lässt sich nicht wiederherstellen: {1}',
  ],
  [
    'The backup {0} could not be removed ({1}): check its folder’s rights',
    'Die Sicherung {0} ließ sich nicht entfernen ({1}): prüfen Sie die Rechte ihres Ordners',
  ],
  ['The backup was taken elsewhere by {0}', 'Die Sicherung wurde mit {0} weitergegeben'],
  [
    'The backup {0} was made, but {1} failed: {2}',
    'Die Sicherung {0} steht, aber {1} ist fehlgeschlagen: {2}',
  ],
  ['Removed, as Svc:Backup:Keep says: {0}', 'Entfernt nach Svc:Backup:Keep: {0}'],
]
