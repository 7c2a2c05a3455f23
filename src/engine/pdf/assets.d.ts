/** Fonts and profiles, embedded by path (`with { type: 'file' }`), and packages without types. */
declare module '*.ttf' {
  const path: string
  export default path
}
declare module '*.icc' {
  const path: string
  export default path
}
declare module 'fontkit' {
  interface Glyph {
    readonly id: number
    readonly advanceWidth: number
    readonly codePoints: number[]
  }
  interface Font {
    readonly postscriptName: string
    readonly unitsPerEm: number
    readonly ascent: number
    readonly descent: number
    readonly capHeight: number
    hasGlyphForCodePoint(codePoint: number): boolean
    glyphForCodePoint(codePoint: number): { readonly advanceWidth: number }
    layout(
      text: string,
      features: Readonly<Record<string, boolean>>,
      script: string | undefined,
      language: string | undefined,
      direction: 'ltr' | 'rtl',
    ): {
      readonly glyphs: readonly Glyph[]
      readonly positions: readonly { xAdvance: number; xOffset: number; yOffset: number }[]
    }
    createSubset(): object
  }
  export function create(bytes: Uint8Array, name?: string): Font | { readonly fonts: Font[] }
}
declare module 'linebreak' {
  export default class LineBreaker {
    constructor(text: string)
    nextBreak(): { position: number; required: boolean } | null
  }
}
