/** Texts that a bench searches for. */
import { FIRM_FIRST, FIRM_TRADE } from '../../data/demo/words.ts'

const TEXTS = 200

/**
 * Texts as people type them, all different: words of a customer's name, their beginnings, numbers
 * of orders and references. Any ten in a row are of the same kinds.
 */
export function planSearchTexts(): string[] {
  const at = (words: readonly string[], index: number): string => words[index % words.length] ?? ''
  const kinds: ((index: number) => string)[] = [
    (index) => at(FIRM_FIRST, index).toLowerCase(),
    (index) => `PO ${10_000 + index * 311}`,
    (index) => `SO-2025-${String(index * 37).padStart(4, '0')}`,
    (index) => `${at(FIRM_FIRST, index * 7)} ${at(FIRM_TRADE, index)}`.toLowerCase(),
    (index) => String(20_000 + index * 173),
    (index) => at(FIRM_TRADE, index).slice(0, 4 + Math.floor(index / FIRM_TRADE.length)),
    (index) => `PO ${100 + index * 13}`,
    (index) => at(FIRM_FIRST, index * 5).slice(0, 3 + Math.floor(index / 10)),
    (index) => `O-2024-${String(index * 91).padStart(5, '0')}`,
    (index) => `${at(FIRM_TRADE, index * 3)} ltd`.slice(0, 6 + Math.floor(index / 5)),
  ]
  const texts = Array.from({ length: TEXTS }, (_, index) => {
    const kind = kinds[index % kinds.length]
    return kind ? kind(Math.floor(index / kinds.length)) : ''
  })
  return [...new Set(texts)]
}

/** Texts that hundreds of the rows have, or thousands, or nearly all. */
export const COMMON_TEXTS = [
  ...['ltd', 'works', 'po 1', '2024', 'alder', 'so-', '2025', 'er', 'ston', 'co'],
]
