/** The table of commands: words, flags, summary. Imports of a command are loaded when it runs. */
import type { Arguments, CommandShape, Flag } from './arguments.ts'

export interface Command extends CommandShape {
  summary: string
  /** Resolves to the exit code. */
  run(args: Arguments): Promise<number>
}

const NO_WORDS: readonly string[] = []
const PASSWORD_STDIN: Flag = {
  kind: 'switch',
  meaning: 'Reads the password from standard input',
}
const PASSPHRASE_FILE: Flag = {
  kind: 'text',
  value: 'FILE',
  meaning: 'Encrypts, or decrypts, by the passphrase in this file, in the format of age',
}

const KIND: Flag = {
  kind: 'text',
  value: 'KIND',
  meaning: "systemd, launchd or windows (this machine's own)",
}

const SERVICE_FLAGS: Readonly<Record<string, Flag>> = {
  kind: KIND,
  port: { kind: 'text', value: 'PORT', meaning: 'The port that it listens on (8080)' },
  host: { kind: 'text', value: 'HOST', meaning: 'The address that it listens on (127.0.0.1)' },
  user: { kind: 'text', value: 'NAME', meaning: 'The user that it runs as (appengine)' },
  executable: { kind: 'text', value: 'FILE', meaning: 'The executable (this one)' },
  credential: {
    kind: 'list',
    value: 'NAME:FILE',
    meaning: 'A secret of systemd, such as Svc__Mail__Password:/etc/appengine/mail',
  },
}

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
      watch: { kind: 'switch', meaning: 'Deploys the model files again whenever they change' },
      model: { kind: 'text', value: 'MODELDIR', meaning: 'The model files that --watch watches' },
      client: {
        kind: 'number',
        value: 'PORT',
        meaning: 'Serves the client beside it, on this port (8081); 0 picks a free one',
      },
    },
    run: async (args) => (await import('./serve.ts')).runServe(args),
  },
  {
    name: 'init',
    summary: 'Writes a new application: a model, German texts, an extension, and the next commands',
    words: ['DIR'],
    flags: {},
    run: async (args) => (await import('./init.ts')).runInit(args),
  },
  {
    name: 'deploy',
    summary: 'Deploys a folder of model files and prints the plan: what is new, changed, the same',
    words: ['[MODELDIR]'],
    flags: {
      rollback: {
        kind: 'switch',
        meaning: 'Rolls the last deploy back instead, where it lost no data',
      },
      'dry-run': { kind: 'switch', meaning: 'Prints the plan and changes nothing' },
      'allow-data-loss': { kind: 'switch', meaning: 'Allows the listed losses' },
      prune: { kind: 'switch', meaning: 'Removes scripts that the folder no longer has' },
      overwrite: {
        kind: 'switch',
        meaning: 'Replaces scripts that were changed here since their deploy',
      },
      url: { kind: 'text', value: 'URL', meaning: 'Into the server at this address' },
      token: { kind: 'text', value: 'T', meaning: 'With --url: access token of a System user' },
    },
    run: async (args) => (await import('./deploy.ts')).runDeploy(args),
  },
  {
    name: 'adopt',
    summary: 'Writes a model of an SQLite database and copies its rows, with their keys',
    words: ['FILE', '[MODELDIR]'],
    flags: {
      'dry-run': { kind: 'switch', meaning: 'Prints the model and the report, changes nothing' },
    },
    run: async (args) => (await import('./adopt.ts')).runAdopt(args),
  },
  {
    name: 'check',
    summary: 'Checks a folder of model files, or without one the data folder, and touches nothing',
    words: ['[MODELDIR]'],
    flags: {
      audit: {
        kind: 'switch',
        meaning: 'Verifies instead that no entry of the audit log was changed; prints its head',
      },
      since: {
        kind: 'text',
        value: 'HEAD',
        meaning: 'With --audit: the head of an earlier check, which the log must still hold',
      },
      plans: { kind: 'switch', meaning: "Prints each grid's query plan, too" },
      texts: { kind: 'switch', meaning: 'Lists each text that a language does not have' },
    },
    run: async (args) => (await import('./check.ts')).runCheck(args),
  },
  {
    name: 'backup',
    summary: 'Makes one file of the data folder, also while a server serves it',
    words: ['FILE'],
    flags: {
      secrets: { kind: 'switch', meaning: 'With the secrets of appsettings.json, too' },
      'passphrase-file': PASSPHRASE_FILE,
    },
    run: async (args) => (await import('./backup.ts')).runBackup(args),
  },
  {
    name: 'restore',
    summary: 'Makes a data folder of a backup, checks all of it, and holds what would be sent',
    words: ['FILE'],
    flags: {
      list: { kind: 'switch', meaning: 'Prints what the backup holds, and restores nothing' },
      only: {
        kind: 'list',
        value: 'PATH',
        meaning: 'Only this file or folder of the backup, such as files/…; it serves nothing',
      },
      at: {
        kind: 'text',
        value: 'TIME',
        meaning: 'FILE is a folder of backups: the last one of this time or before',
      },
      'passphrase-file': PASSPHRASE_FILE,
    },
    run: async (args) => (await import('./restore.ts')).runRestore(args),
  },
  {
    name: 'rollback',
    summary: 'Undoes the last upgrade: the data folder is as it was before it',
    words: NO_WORDS,
    flags: {
      yes: { kind: 'switch', meaning: 'Does it; without it is told what would be lost' },
      'passphrase-file': PASSPHRASE_FILE,
    },
    run: async (args) => (await import('./rollback.ts')).runRollback(args),
  },
  {
    name: 'service print',
    summary: 'Prints the file of the service: a unit of systemd, a list of launchd, or WinSW',
    words: NO_WORDS,
    flags: SERVICE_FLAGS,
    run: async (args) => (await import('./system-service.ts')).runServicePrint(args),
  },
  {
    name: 'service install',
    summary: 'Installs the server as a service and starts it, now and with the machine',
    words: NO_WORDS,
    flags: SERVICE_FLAGS,
    run: async (args) => (await import('./system-service.ts')).runServiceInstall(args),
  },
  {
    name: 'service remove',
    summary: 'Stops the service and removes it; the data folder stays',
    words: NO_WORDS,
    flags: { kind: KIND },
    run: async (args) => (await import('./system-service.ts')).runServiceRemove(args),
  },
  {
    name: 'service status',
    summary: 'Prints what the manager of services says about it',
    words: NO_WORDS,
    flags: { kind: KIND },
    run: async (args) => (await import('./system-service.ts')).runServiceStatus(args),
  },
  {
    name: 'health',
    summary: 'Says in one line whether the server of this machine can serve; for containers',
    words: NO_WORDS,
    flags: {
      url: { kind: 'text', value: 'URL', meaning: 'The server at this address instead' },
      port: { kind: 'text', value: 'PORT', meaning: 'The port of the server (8080)' },
    },
    run: async (args) => (await import('./health.ts')).runHealth(args),
  },
  {
    name: 'client',
    summary: 'Serves the client, which draws the application in a browser, or writes its files out',
    words: NO_WORDS,
    flags: {
      port: { kind: 'text', value: 'PORT', meaning: 'The port (8081); 0 picks one' },
      host: { kind: 'text', value: 'HOST', meaning: 'The address to listen on (127.0.0.1)' },
      api: {
        kind: 'text',
        value: 'URL',
        meaning: 'Where the server answers (http://127.0.0.1:8080)',
      },
      export: { kind: 'text', value: 'DIR', meaning: 'Writes the files there, for any web server' },
      beside: {
        kind: 'switch',
        meaning: 'Ends when its standard input does; for "serve --client"',
      },
    },
    run: async (args) => (await import('./client.ts')).runClient(args),
  },
  {
    name: 'resume',
    summary: 'Lets go what a restored folder holds: mails, webhooks and jobs that send',
    words: NO_WORDS,
    flags: {
      url: { kind: 'text', value: 'URL', meaning: 'Of the server at this address' },
      token: { kind: 'text', value: 'T', meaning: 'With --url: access token of a System user' },
    },
    run: async (args) => (await import('./resume.ts')).runResume(args),
  },
  {
    name: 'schema',
    summary: 'Prints the XML schema of the model language',
    words: NO_WORDS,
    flags: {
      reference: { kind: 'switch', meaning: 'Prints the reference manual, as Markdown, instead' },
    },
    run: async (args) => (await import('./schema.ts')).runSchema(args),
  },
  {
    name: 'types',
    summary: 'Prints the TypeScript declarations that extensions are written with',
    words: NO_WORDS,
    flags: {},
    run: async (args) => (await import('./types.ts')).runTypes(args),
  },
  {
    name: 'company create',
    summary: 'Creates a company',
    words: ['CODE'],
    flags: {
      name: { kind: 'text', value: 'NAME', meaning: 'Its name', isRequired: true },
      'time-zone': { kind: 'text', value: 'ZONE', meaning: 'IANA name of its time zone (UTC)' },
      language: { kind: 'text', value: 'TAG', meaning: 'Language of its emails (Svc:Language)' },
    },
    run: async (args) => (await import('./company.ts')).runCompanyCreate(args),
  },
  {
    name: 'user create',
    summary: 'Creates a user; without --password-stdin it prints a one-time password',
    words: ['NAME'],
    flags: {
      role: { kind: 'list', value: 'ROLE', meaning: 'A role, or ROLE@COMPANY for one company' },
      company: { kind: 'list', value: 'CODE', meaning: 'A company that the user belongs to' },
      email: { kind: 'text', value: 'ADDRESS', meaning: 'The mail address' },
      'display-name': { kind: 'text', value: 'NAME', meaning: 'The name that is shown' },
      language: {
        kind: 'text',
        value: 'TAG',
        meaning: 'Language of emails to the user, such as de',
      },
      attribute: { kind: 'list', value: 'NAME=VALUE', meaning: 'A user attribute' },
      'password-stdin': PASSWORD_STDIN,
    },
    run: async (args) => (await import('./user.ts')).runUserCreate(args),
  },
  {
    name: 'user lock',
    summary: 'Locks a user out and ends their sessions',
    words: ['NAME'],
    flags: {},
    run: async (args) => (await import('./user.ts')).runUserActive(args, false),
  },
  {
    name: 'user unlock',
    summary: 'Unlocks a user',
    words: ['NAME'],
    flags: {},
    run: async (args) => (await import('./user.ts')).runUserActive(args, true),
  },
  {
    name: 'user reset',
    summary: 'Gives a user a new password and ends their sessions',
    words: ['NAME'],
    flags: { 'password-stdin': PASSWORD_STDIN },
    run: async (args) => (await import('./user.ts')).runUserReset(args),
  },
  {
    name: 'user reset-mfa',
    summary: 'Removes the second factor of a user who lost it, and ends their sessions',
    words: ['NAME'],
    flags: {},
    run: async (args) => (await import('./user.ts')).runUserResetMfa(args),
  },
  {
    name: 'keys rotate',
    summary: 'Signs tokens with a new key; tokens of the old key stay valid until they expire',
    words: NO_WORDS,
    flags: {},
    run: async (args) => (await import('./keys.ts')).runKeysRotate(args),
  },
  {
    name: 'openapi',
    summary: 'Prints the OpenAPI document',
    words: NO_WORDS,
    flags: {},
    run: async (args) => (await import('./openapi.ts')).runOpenApi(args),
  },
  {
    name: 'settings',
    summary: 'Prints each setting with its value, its source, its default and its meaning',
    words: NO_WORDS,
    flags: {},
    run: async (args) => (await import('./settings.ts')).runSettings(args),
  },
  {
    name: 'completion',
    summary: 'Prints a completion script for bash, zsh, fish or powershell',
    words: ['SHELL'],
    flags: {},
    run: async (args) => (await import('./completion.ts')).runCompletion(args, COMMANDS),
  },
  {
    name: 'version',
    summary: 'Prints the versions of the engine and of its libraries',
    words: NO_WORDS,
    flags: {},
    run: async (args) => (await import('./version.ts')).runVersion(args),
  },
]

/** Commands that the engine gives to itself: the help does not tell of them. */
export const INNER_COMMANDS: readonly Command[] = [
  {
    name: 'helper',
    summary: 'Does work for a server that started it',
    words: ['KIND', 'PID'],
    flags: {},
    run: async (args) => (await import('./run-helper.ts')).runHelper(args),
  },
]
