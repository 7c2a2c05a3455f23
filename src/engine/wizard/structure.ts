/** The structure of a wizard: static, without SQL, the same for every caller. */
import { renderMessage } from '../../kernel/messages.ts'
import type { View } from '../../model/compiled/view.ts'
import { describeSteps, type Metadata } from '../object/read/metadata.ts'
import type { WizardStructure } from './schema.ts'

const known = new WeakMap<View, Map<string, Metadata>>()

/** Plans a wizard once in each requested language; a deploy makes a new wizard. */
export function findStructure(view: View, language: string): Metadata {
  return known
    .getOrInsertComputed(view, () => new Map<string, Metadata>())
    .getOrInsertComputed(language, () => {
      const structure: WizardStructure = {
        Name: view.name,
        Slug: view.slug,
        Label: renderMessage(view.label, language),
        VersionHash: view.versionHash,
        Steps: describeSteps(view, language),
      }
      const json = JSON.stringify(structure)
      return { json, etag: `"${Bun.hash(json).toString(36)}-${language}"` }
    })
}
