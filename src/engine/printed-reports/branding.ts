/**
 * Files that the operator puts into the data folder for documents: a logo in `branding/`, of all or
 * of one company, and fonts in `fonts/`.
 */
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Files on the engine's own disk. */
interface Branding {
  logo: string | undefined
  fonts: readonly string[]
}

const LOGO_BYTES_MAX = 2 * 1024 * 1024
const FONT_BYTES_MAX = 32 * 1024 * 1024
const FONTS_MAX = 20

/** A company code that is not a plain word does not name a file. */
const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** First bytes of an image by its extension. */
const SIGNATURES: Readonly<Record<string, readonly number[]>> = {
  png: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  jpg: [0xff, 0xd8, 0xff],
}

/** `logo-<code>.png|jpg` of the company, else `logo.png|jpg`; the first FONTS_MAX fonts by name. */
export async function findBranding(folder: string, companyCode: string): Promise<Branding> {
  const own = CODE.test(companyCode) ? [`logo-${companyCode}`] : []
  return {
    logo: await findLogo(join(folder, 'branding'), [...own, 'logo']),
    fonts: await listFonts(join(folder, 'fonts')),
  }
}

/** The logo of all companies: `branding/logo.png|jpg` of the data folder. */
export const findProductLogo = (folder: string): Promise<string | undefined> =>
  findLogo(join(folder, 'branding'), ['logo'])

async function findLogo(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    for (const [extension, signature] of Object.entries(SIGNATURES)) {
      const path = join(folder, `${name}.${extension}`)
      if (await isImage(path, signature)) return path
    }
  }
  return undefined
}

/** Tells whether a file is of this kind, and no larger than a logo may be. */
async function isImage(path: string, signature: readonly number[]): Promise<boolean> {
  const size = await sizeOf(path)
  if (size === undefined || size > LOGO_BYTES_MAX) return false
  await using file = await open(path, 'r')
  const { buffer } = await file.read(Buffer.alloc(signature.length), 0, signature.length, 0)
  return signature.every((byte, at) => buffer[at] === byte)
}

async function listFonts(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(ignoreMissing)
  const fonts: string[] = []
  for (const name of (names ?? []).filter((each) => /\.(?:ttf|otf)$/i.test(each)).sort()) {
    const path = join(folder, name)
    const size = await sizeOf(path)
    if (size !== undefined && size <= FONT_BYTES_MAX && fonts.length < FONTS_MAX) fonts.push(path)
  }
  return fonts
}

/** Bytes of a file; undefined if it does not exist. */
async function sizeOf(path: string): Promise<number | undefined> {
  const facts = await stat(path).catch(ignoreMissing)
  return facts?.isFile() === true ? facts.size : undefined
}

function ignoreMissing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
}
