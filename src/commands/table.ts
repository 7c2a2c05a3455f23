/** Every command: its words, its flags, what it does. What a command needs is imported when it runs. */
import type { Arguments, CommandShape } from './arguments.ts'

export interface Command extends CommandShape {
  summary: string
  /** Resolves to the exit code. */
  run(args: Arguments): Promise<number>
}

const NO_WORDS: readonly string[] = []

/** The commands in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Starts the server; prints "listening on http://host:port" once it answers',
    words: NO_WORDS,
    flags: {
      port: { kind: 'text', value: 'PORT', meaning: 'The port (8080); 0 picks a free one' },
      host: { kind: 'text', value: 'HOST', meaning: 'The address to listen on (127.0.0.1)' },
      demo: {
        kind: 'switch',
        meaning: 'Fills an empty data folder with the demo application and prints its users',
      },
      watch: { kind: 'switch', meaning: 'Deploys the model files again as they change' },
      model: { kind: 'text', value: 'MODELDIR', meaning: 'The model files that --watch watches' },
    },
    run: async (args) => (await import('./serve.ts')).runServe(args),
  },
  {
    name: 'settings',
    summary: 'Prints each setting with its value, where that came from, its default and meaning',
    words: NO_WORDS,
    flags: {},
    run: async (args) => (await import('./settings.ts')).runSettings(args),
  },
  {
    name: 'version',
    summary: 'Prints the versions of the engine and of what it stands on',
    words: NO_WORDS,
    flags: {},
    run: async (args) => (await import('./version.ts')).runVersion(args),
  },
]
