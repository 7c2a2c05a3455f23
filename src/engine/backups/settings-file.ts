/** The settings of a data folder as a backup has them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UnusableBackup } from './manifest.ts'

export const SETTINGS_NAME = 'appsettings.json'

/**
 * The text of `appsettings.json`, without the values of secrets unless they are wanted, and the
 * names of those that were left out; undefined where the folder has none.
 */
export async function readSettingsFile(
  folder: string,
  secrets: readonly string[],
): Promise<{ text: string; leftOut: string[] } | undefined> {
  const path = join(folder, SETTINGS_NAME)
  if (!(await Bun.file(path).exists())) return undefined
  const text = await readFile(path, 'utf8')
  const hidden = new Set(secrets.map((name) => name.toLowerCase()))
  if (hidden.size === 0) return { text, leftOut: [] }
  const leftOut: string[] = []
  const kept = withoutSecrets(parse(path, text), '', (name) => {
    const isHidden = hidden.has(name.toLowerCase())
    if (isHidden) leftOut.push(name)
    return isHidden
  })
  return { text: `${JSON.stringify(kept, undefined, 2)}\n`, leftOut }
}

function parse(path: string, text: string): object {
  try {
    const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (typeof json === 'object' && json !== null) return json
  } catch {
    // The sentence below says it.
  }
  throw new UnusableBackup(`${path} is no JSON object: mend it, then back up.`)
}

/** Nested and flat keys alike, as the settings are read. */
function withoutSecrets(node: object, prefix: string, isSecret: (name: string) => boolean): object {
  const kept: [string, unknown][] = []
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    const name = prefix === '' ? key : `${prefix}:${key}`
    if (isSecret(name)) continue
    const isNode = typeof value === 'object' && value !== null && !Array.isArray(value)
    kept.push([key, isNode ? withoutSecrets(value, name, isSecret) : value])
  }
  return Object.fromEntries(kept)
}
