/** Texts as glyphs: direction by Unicode's rules (UAX 9), fonts by character, shaped by script. */
import bidiFactory from 'bidi-js'
import type { Face, FaceList } from './faces.ts'

const bidi = bidiFactory()

/** A glyph in its place; lengths are thousandths of the size of the type. */
export interface PlacedGlyph {
  id: number
  codePoints: readonly number[]
  /** Its own, and the one that shaping gave it. */
  width: number
  advance: number
  x: number
  y: number
}

/** A piece of text of one font and direction; in glyphs from left to right. */
export interface Run {
  readonly text: string
  /** It is one sign that is turned with the direction of its text, as brackets are. */
  readonly isMirrored: boolean
  /** Undefined: no font has these characters. */
  readonly face: Face | undefined
  readonly level: number
  readonly glyphs: readonly PlacedGlyph[]
  /** Thousandths of the size of the type. */
  readonly width: number
}

/** Width of the box that is drawn for a character no font has. */
export const BOX_WIDTH = 600

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/

/**
 * Levels of a paragraph's UTF-16 units, by its first strong character (rules P2 and P3); undefined
 * where all of it goes from left to right.
 */
export function findLevels(text: string): Uint8Array | undefined {
  return RIGHT_TO_LEFT.test(text) ? bidi.getEmbeddingLevels(text, 'auto').levels : undefined
}

/** Characters that show nothing themselves: marks of direction, joiners, selectors. */
const UNSEEN = /^\p{Default_Ignorable_Code_Point}$/u
const ALL_UNSEEN = /\p{Default_Ignorable_Code_Point}/gu
/** Characters that shaping has no use for. */
const UNSHAPING = /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u00ad\u200b\u2060]$/
/** Characters that choose a glyph for the one before them. */
const VARIATION = /^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u
const SPACE = 0x20

type Part = 'word' | 'blank' | 'mirrored'

/** Parts of a text from right to left that are runs of their own, in the order of reading. */
function partOf(character: string): Part {
  if (character === ' ' || character === '\u00a0') return 'blank'
  return bidi.getMirroredCharacter(character) === null ? 'word' : 'mirrored'
}

/** The runs of a part of a text, in the order of reading. */
export function shapeRuns(
  text: string,
  faces: FaceList,
  levels: Uint8Array | undefined,
  start: number,
): Run[] {
  const runs: Run[] = []
  let from = 0
  let face: Face | undefined | null = null
  let level = 0
  let part: Part | undefined
  let at = 0
  const close = (): void => {
    if (at > from) runs.push(shapeRun(text.slice(from, at), face ?? undefined, level))
    from = at
  }
  for (const character of text) {
    const own = levels?.[start + at] ?? 0
    const codePoint = character.codePointAt(0) ?? 0
    const next: Face | undefined = UNSEEN.test(character)
      ? (face ?? faces.find(SPACE))
      : faces.find(codePoint)
    const fits: boolean | undefined | null =
      face && next && face.font.hasGlyphForCodePoint(codePoint)
    const ownPart: Part = own % 2 === 1 ? partOf(character) : 'word'
    const isParted: boolean = ownPart !== part || ownPart === 'mirrored'
    part = ownPart
    if (face === null) [face, level] = [next, own]
    else if ((next !== face && !fits) || own !== level || isParted) {
      close()
      ;[face, level] = [next, own]
    }
    at += character.length
  }
  close()
  return runs
}

const cache = new Map<string, Run>()
const CACHE_MAX = 4_000
const CACHED_LENGTH_MAX = 60

function shapeRun(text: string, face: Face | undefined, level: number): Run {
  const key = `${level % 2}${face?.name ?? ''}\n${text}`
  const known = cache.get(key)
  if (known) return known.level === level ? known : { ...known, level }
  const run = face ? layRun(text, face, level) : layBoxes(text, level)
  if (text.length <= CACHED_LENGTH_MAX) {
    if (cache.size >= CACHE_MAX) cache.clear()
    cache.set(key, run)
  }
  return run
}

function layBoxes(text: string, level: number): Run {
  const width = [...text].length * BOX_WIDTH
  return { text, face: undefined, isMirrored: false, level, glyphs: [], width }
}

const PLAIN = /^[ -~]+$/

function layRun(text: string, face: Face, level: number): Run {
  return face.isPlain && level % 2 === 0 && PLAIN.test(text)
    ? layPlain(text, face, level)
    : layOut(text, face, level)
}

/** Glyphs of pairs of ASCII characters, by the two characters: the first one, kerned. */
const pairs = new WeakMap<Face, Map<number, PlacedGlyph>>()

/** Lays out a text of ASCII from what is known of its pairs: most of a table is figures. */
function layPlain(text: string, face: Face, level: number): Run {
  const known = pairs.getOrInsertComputed(face, () => new Map<number, PlacedGlyph>())
  const glyphs: PlacedGlyph[] = []
  let width = 0
  for (let at = 0; at < text.length; at++) {
    const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0
    const key = text.charCodeAt(at) * 128 + next
    let glyph = known.get(key)
    if (!glyph) {
      glyph = layOut(text.slice(at, at + 2), face, 0).glyphs[0]
      if (!glyph) throw new Error('A character without a glyph')
      known.set(key, glyph)
    }
    glyphs.push(glyph)
    width += glyph.advance
  }
  return { text, face, isMirrored: false, level, glyphs, width }
}

/** No ligatures of Latin letters: a search in the file finds each letter. */
const FEATURES = { liga: false, clig: false }

function layOut(text: string, face: Face, level: number): Run {
  const { font } = face
  const scale = 1000 / font.unitsPerEm
  const isBack = level % 2 === 1
  const shown = (isBack ? mirror(text) : text)
    .replace(ALL_UNSEEN, (character) => {
      const isShaping = !UNSHAPING.test(character)
      const has = font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)
      return isShaping && (has || VARIATION.test(character)) ? character : ''
    })
    // Readers who search for a blank find this one.
    .replaceAll('\u00a0', ' ')
  const direction = isBack ? 'rtl' : 'ltr'
  const laid = font.layout(shown, isBack ? {} : FEATURES, undefined, undefined, direction)
  let width = 0
  const glyphs = laid.glyphs.map((glyph, at): PlacedGlyph => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = laid.positions[at] ?? {}
    width += xAdvance * scale
    return {
      id: glyph.id,
      codePoints: glyph.codePoints,
      width: glyph.advanceWidth * scale,
      advance: xAdvance * scale,
      x: xOffset * scale,
      y: yOffset * scale,
    }
  })
  const isMirrored = isBack && partOf(text) === 'mirrored'
  return { text, face, isMirrored, level, glyphs, width }
}

const mirror = (text: string): string =>
  text.replace(/./gu, (character) => bidi.getMirroredCharacter(character) ?? character)

/** A run at its place in a line; `x` is thousandths of the size of the type, from the left. */
export interface PlacedRun {
  run: Run
  x: number
}

/**
 * The runs of a line at their places, word by word in the order of reading, as readers of the
 * structure take them; those of one word from left to right, as readers of pages do.
 */
export function placeRuns(runs: readonly Run[]): PlacedRun[] {
  const order = orderRuns(runs)
  const placed: PlacedRun[] = []
  const rank: number[] = []
  let x = 0
  for (const [position, place] of order.entries()) {
    const run = runs[place]
    if (!run) continue
    placed[place] = { run, x }
    rank[place] = position
    x += run.width
  }
  return listWords(runs).flatMap((places) =>
    places
      .toSorted((one, other) => (rank[one] ?? 0) - (rank[other] ?? 0))
      .flatMap((place) => placed[place] ?? []),
  )
}

/** The places of the runs of each word, and of the blanks between. */
function listWords(runs: readonly Run[]): number[][] {
  const words: number[][] = []
  let wasBlank: boolean | undefined
  for (const [place, { text }] of runs.entries()) {
    const isBlank = text.trim() === ''
    if (isBlank === wasBlank) words.at(-1)?.push(place)
    else words.push([place])
    wasBlank = isBlank
  }
  return words
}

/** The places of a line's runs from left to right (rule L2). */
function orderRuns(runs: readonly Run[]): number[] {
  const ordered = [...runs.keys()]
  const highest = Math.max(0, ...runs.map(({ level }) => level))
  const levelAt = (at: number): number => runs[ordered[at] ?? -1]?.level ?? -1
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < ordered.length; from++) {
      let to = from
      while (levelAt(to) >= level) to++
      if (to - from > 1) ordered.splice(from, to - from, ...ordered.slice(from, to).reverse())
      from = to
    }
  }
  return ordered
}
