/** The fonts that documents are drawn with: embedded ones, and after them the operator's. */
import { statSync } from 'node:fs'
import arabicBold from '#fonts/arabic-bold.ttf' with { type: 'file' }
import arabic from '#fonts/arabic.ttf' with { type: 'file' }
import hebrewBold from '#fonts/hebrew-bold.ttf' with { type: 'file' }
import hebrew from '#fonts/hebrew.ttf' with { type: 'file' }
import latinBold from '#fonts/sans-bold.ttf' with { type: 'file' }
import latin from '#fonts/sans.ttf' with { type: 'file' }
import { create, type Font } from 'fontkit'

/** A font, loaded when a character first needs it. */
export interface Face {
  /** The name under which a document registers the font. */
  readonly name: string
  readonly font: Font
  /** Its Latin letters depend on their neighbours by kerning alone. */
  readonly isPlain: boolean
}

/** Faces of one weight, in the order in which they are tried for a character. */
export interface FaceList {
  /** The face that has a character; undefined if none has. */
  find(codePoint: number): Face | undefined
}

/** Regular and bold. */
export interface Faces {
  regular: FaceList
  bold: FaceList
}

const EMBEDDED: readonly [regular: string, bold: string][] = [
  [latin, latinBold],
  [hebrew, hebrewBold],
  [arabic, arabicBold],
]

const FONT_BYTES_MAX = 64 * 1024 * 1024

/** A font of a file; undefined where the file is not a font. Kept while this process lives. */
class FontFile {
  readonly #path: string
  #faces: readonly Face[] | undefined

  constructor(path: string) {
    this.#path = path
  }

  async load(): Promise<void> {
    this.#faces ??= await this.#read()
  }

  get faces(): readonly Face[] {
    return this.#faces ?? []
  }

  async #read(): Promise<readonly Face[]> {
    try {
      const file = Bun.file(this.#path)
      if (file.size > FONT_BYTES_MAX) return []
      const made = create(await file.bytes())
      const fonts = 'fonts' in made ? made.fonts.slice(0, 1) : [made]
      return fonts.map((font) => {
        font.hasGlyphForCodePoint(32)
        const name = `${this.#path}#${font.postscriptName}`
        return { name, font, isPlain: this.#path === latin || this.#path === latinBold }
      })
    } catch {
      // A file that is not a font replaces nothing; missing glyphs are reported by character.
      return []
    }
  }
}

const files = new Map<string, FontFile>()
const lists = new Map<string, Promise<Faces>>()

const LISTS_MAX = 8

/** Loads the embedded fonts and the operator's, which replace missing glyphs in both weights. */
export function loadFaces(paths: readonly string[]): Promise<Faces> {
  const key = paths.map((path) => `${path} ${stampOf(path)}`).join('\n')
  let made = lists.get(key)
  if (!made) {
    if (lists.size >= LISTS_MAX) lists.clear()
    made = openFaces(paths)
    lists.set(key, made)
  }
  return made
}

/** Modification time of a file, so that a replaced font is read again. */
function stampOf(path: string): string {
  try {
    return String(statSync(path).mtimeMs)
  } catch {
    return 'none'
  }
}

async function openFaces(paths: readonly string[]): Promise<Faces> {
  const further = paths.map((path) => new FontFile(path))
  const embedded = EMBEDDED.map((pair) => pair.map(fileOf))
  await Promise.all([...embedded.flat(), ...further].map((file) => file.load()))
  const listOf = (weight: number): FaceList =>
    new KnownFaces([
      ...embedded.flatMap((pair) => pair[weight]?.faces ?? []),
      ...further.flatMap(({ faces }) => faces),
    ])
  return { regular: listOf(0), bold: listOf(1) }
}

function fileOf(path: string): FontFile {
  const known = files.get(path) ?? new FontFile(path)
  files.set(path, known)
  return known
}

class KnownFaces implements FaceList {
  readonly #faces: readonly Face[]
  readonly #known = new Map<number, Face | undefined>()

  constructor(faces: readonly Face[]) {
    this.#faces = faces
  }

  find(codePoint: number): Face | undefined {
    if (this.#known.has(codePoint)) return this.#known.get(codePoint)
    const face = this.#faces.find(({ font }) => font.hasGlyphForCodePoint(codePoint))
    this.#known.set(codePoint, face)
    return face
  }
}
