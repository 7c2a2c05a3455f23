/** The resources that the extensions of a data folder bring, for commands that check a model. */
import { join, resolve } from 'node:path'
import {
  describeFile,
  listExtensionFiles,
  listResources,
} from '../engine/extensions/describe-file.ts'
import { SCRIPTS } from '../engine/floor.ts'
import { configure } from '../app.ts'
import type { Arguments } from './arguments.ts'
import { complain } from './output.ts'

/**
 * Runs the files of `extensions/` in the data folder, each in a process of its own, for what they
 * declare. A file with a fault is complained of and brings nothing.
 */
export async function listExtensionResources(args: Arguments): Promise<Set<string>> {
  const dataFolder = resolve(args.dataFolder)
  const folder = join(dataFolder, 'extensions')
  const configured = configure({ dataFolder, flags: args.settings })
  const limits = {
    deadlineMs: configured.get(SCRIPTS.timeout),
    memoryBytesMax: configured.get(SCRIPTS.maxMemory),
  }
  const settings = Object.fromEntries(configured.listApp())
  const { signal } = new AbortController()
  const resources = new Set<string>()
  for (const name of await listExtensionFiles(folder)) {
    const described = await describeFile(name, { folder, settings, limits, signal })
    if ('File' in described) {
      const { File, Line, Message } = described
      complain(`extensions/${File || name}${Line === null ? '' : `:${Line}`}: ${Message}`)
    } else for (const resource of listResources(described)) resources.add(resource)
  }
  return resources
}
