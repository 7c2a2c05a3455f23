/** The files by which systemd, launchd and WinSW run the server as a service. */
import { dirname } from 'node:path'
import { DRAIN_MS } from '../kernel/limits.ts'
import { SECOND } from '../kernel/setting.ts'

/** Parts of a service, by absolute paths. */
export interface ServicePlan {
  readonly executable: string
  readonly dataFolder: string
  /** The words after `serve`, without the data folder. */
  readonly words: readonly string[]
  readonly user: string
  /** Ports that it listens on, 0 for none: below 1024 it takes a right. */
  readonly ports: readonly number[]
  /** `Svc__Mail__Password:/etc/appengine/mail`: secrets that only the service reads. */
  readonly credentials: readonly string[]
}

export const SERVICE_NAME = 'appengine'

/** Seconds that a stop may take: requests in flight, then what is left to write. */
const STOP_SECONDS = DRAIN_MS / SECOND + 15

const STATE_FOLDER = /^\/var\/lib\/([\w.-]+(?:\/[\w.-]+)*)\/?$/

/** Writes the unit of systemd. */
export function planSystemdUnit(plan: ServicePlan): string {
  const { executable, dataFolder, words, user, ports, credentials } = plan
  const isLow = ports.some((port) => port > 0 && port < 1024)
  const state = STATE_FOLDER.exec(dataFolder)?.[1]
  const command = [executable, 'serve', '--data', dataFolder, ...words].map(quoteForSystemd)
  return `[Unit]
Description=Application Engine
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=notify
ExecStart=${command.join(' ')}
User=${user}
Group=${user}
Restart=on-failure
RestartSec=2
# Wrong words do not become right by another start.
RestartPreventExitStatus=2
WatchdogSec=2min
# A start may check a large folder; a stop finishes what is in flight.
TimeoutStartSec=30min
TimeoutStopSec=${STOP_SECONDS}
LimitNOFILE=65536
OOMPolicy=stop
UMask=0077

# The data folder, and nothing else, is written to.
${state === undefined ? planWritten(dataFolder) : planState(state)}
RuntimeDirectory=${SERVICE_NAME}
RuntimeDirectoryMode=0750

# Secrets are credentials whose names are settings: Svc__Mail__Password:/etc/appengine/mail
${credentials.map((credential) => `LoadCredential=${quoteForSystemd(credential)}\n`).join('')}
${isLow ? LOW_PORT : HIGH_PORT}
${HARDENING}
[Install]
WantedBy=multi-user.target
`
}

const planWritten = (folder: string): string => `ReadWritePaths=${quoteForSystemd(folder)}`

const planState = (folder: string): string => `StateDirectory=${folder}\nStateDirectoryMode=0700`

const LOW_PORT = `# A port below 1024 takes this right, and no other.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
`

const HIGH_PORT = `CapabilityBoundingSet=
AmbientCapabilities=
PrivateUsers=yes
`

/**
 * JavaScript is compiled while it runs, so memory may become executable; the library of the
 * database is unpacked into the private /tmp and runs from there.
 */
const HARDENING = `NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
PrivateDevices=yes
DevicePolicy=closed
PrivateTmp=yes
RemoveIPC=yes
KeyringMode=private
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
`

/** A word of a command line as systemd reads it: no variable and no specifier is in it. */
function quoteForSystemd(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  if (/^[\w@%+=:,./-]+$/.test(plain)) return plain
  return `"${plain.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** Writes the property list of launchd. */
export function planLaunchdList(plan: ServicePlan): string {
  const { executable, dataFolder, words, user } = plan
  const command = [executable, 'serve', '--data', dataFolder, ...words]
  const strings = command.map((word) => `    <string>${escapeXml(word)}</string>`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"
  "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${SERVICE_NAME}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>UserName</key>
  <string>${escapeXml(user)}</string>
  <key>WorkingDirectory</key>
  <string>${escapeXml(dirname(dataFolder))}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>${STOP_SECONDS}</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>SoftResourceLimits</key>
  <dict>
    <key>NumberOfFiles</key>
    <integer>65536</integer>
  </dict>
  <key>StandardOutPath</key>
  <string>/Library/Logs/${SERVICE_NAME}.log</string>
  <key>StandardErrorPath</key>
  <string>/Library/Logs/${SERVICE_NAME}.log</string>
</dict>
</plist>
`
}

/** Writes the configuration of WinSW, which stops the server by Ctrl-C: it drains then. */
export function planWindowsService(plan: ServicePlan): string {
  const { executable, dataFolder, words } = plan
  const command = ['serve', '--data', dataFolder, ...words].map(quoteForWindows).join(' ')
  return `<service>
  <id>${SERVICE_NAME}</id>
  <name>Application Engine</name>
  <description>Serves the application of ${escapeXml(dataFolder)}</description>
  <executable>${escapeXml(executable)}</executable>
  <arguments>${escapeXml(command)}</arguments>
  <startmode>Automatic</startmode>
  <delayedAutoStart>true</delayedAutoStart>
  <serviceaccount>
    <username>NT AUTHORITY\\LocalService</username>
  </serviceaccount>
  <stoptimeout>${STOP_SECONDS} sec</stoptimeout>
  <onfailure action="restart" delay="2 sec"/>
  <resetfailure>1 hour</resetfailure>
  <log mode="roll-by-size">
    <sizeThreshold>10240</sizeThreshold>
    <keepFiles>8</keepFiles>
  </log>
</service>
`
}

/** A word as programs of Windows take their command line apart. */
const quoteForWindows = (word: string): string =>
  /^[^\s"]+$/.test(word)
    ? word
    : `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
