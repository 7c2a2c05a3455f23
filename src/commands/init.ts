/** `appengine init DIR`: a new application to begin with. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../kernel/durable.ts'
import { schemaText } from '../model/parse/xsd-schema.ts'
import type { Arguments } from './arguments.ts'
import { CommandFailure, EXIT, printResult } from './output.ts'
import { quoteWord } from './shell-word.ts'
import { typesText } from './types.ts'
import { starterFiles } from '../../data/starter/starter.ts'

/** The next five commands, in the folder. */
const NEXT: readonly string[] = [
  'appengine check model',
  'appengine deploy model',
  'appengine company create MAIN --name "Main company"',
  'appengine user create admin --role System --role Staff --company MAIN',
  'appengine serve --watch --model model',
]

/** Editors with support for XML complete and check the model's files by its schema. */
const EDITOR_SETTINGS = {
  'xml.fileAssociations': [{ pattern: 'model/**/*.xml', systemId: 'model.xsd' }],
}

/** The data stay out of version control; the extensions among them are source. */
const GIT_IGNORE = `data/local/*
!data/local/extensions/
`

const README = `# A new application

- \`model/\`: the application as XML. \`model.xsd\` is its schema, for editors.
- \`data/local/\`: the data. \`data/local/extensions/\`: what a model cannot say, in TypeScript.

\`\`\`sh
${NEXT.join('\n')}
\`\`\`

\`user create\` prints a one-time password. The server then answers at http://127.0.0.1:8080, with
every route at \`/swagger\`, and deploys each change of a file in \`model/\` when it is saved. The
manual of the model is \`appengine schema --reference\`, that of the commands \`appengine help\`.
`

const listFiles = (): [string, string][] =>
  Object.entries({
    'README.md': README,
    ...starterFiles,
    'data/local/extensions/appengine.d.ts': `${typesText()}\n`,
    'model.xsd': schemaText(),
    '.gitignore': GIT_IGNORE,
    '.vscode/settings.json': `${JSON.stringify(EDITOR_SETTINGS, undefined, 2)}\n`,
  })

/**
 * Writes the files of a new application, and prints the commands that come next.
 * @throws CommandFailure where the folder holds something already
 */
export async function runInit(args: Arguments): Promise<number> {
  const folder = resolve(args.word(0))
  await requireEmpty(folder)
  const files = listFiles()
  await mkdir(join(folder, 'data'), { recursive: true })
  makeFolder(join(folder, 'data', 'local'))
  for (const [name, text] of files) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
  }
  const enter = folder === process.cwd() ? [] : [`cd ${quoteWord(args.word(0))}`]
  const next = [...enter, ...NEXT]
  const written = files.map(([name]) => `  ${name}`).join('\n')
  const steps = next.map((line) => `  ${line}`).join('\n')
  printResult(args, `Written to ${folder}:\n${written}\n\nNext:\n${steps}`, {
    Folder: folder,
    Files: files.map(([name]) => name),
    Next: next,
  })
  return EXIT.done
}

async function requireEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  const [first] = found.filter((name) => name !== '.git')
  if (first === undefined) return
  throw new CommandFailure(
    `${folder} is not empty: it holds ${first}. Give a folder that is new or empty`,
  )
}
