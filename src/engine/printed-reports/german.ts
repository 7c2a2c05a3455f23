import type { Translations } from '../../kernel/messages.ts'

/** What documents to print say by themselves, in German. */
export const PRINTED_GERMAN: Translations = [
  ['Yes', 'Ja'],
  ['No', 'Nein'],
  ['Total', 'Summe'],
  ['Subtotal', 'Zwischensumme'],
  ['Carried forward', 'Übertrag'],
  ['Brought forward', 'Übertrag'],
  ['No barcode of this kind holds the value', 'Kein Strichcode dieser Art fasst den Wert'],
]
