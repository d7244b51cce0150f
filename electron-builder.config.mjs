// How the desktop application is packed: npm run package, and npm run package:check for what can be looked at without Electron.
// docs/decisions/0031-packaging-and-updates.md says why it is so.
import { join } from 'node:path';
import { Arch } from 'electron-builder';
import { stage } from './scripts/lib/program-folder.mjs';

/** Where the parts are put together that are not packed as they lie here. */
const STAGED = 'dist/staged';

/** A feed exists only where a release names one; a build from source never looks for newer versions. */
const feed = process.env.BURSAR_UPDATE_URL;

export default {
  appId: 'dev.bursar.desktop',
  productName: 'Bursar',
  copyright: 'Apache-2.0',
  directories: { output: 'dist/packages', buildResources: 'resources' },
  artifactName: '${productName}-${version}-${os}-${arch}.${ext}',
  // Native modules come prebuilt; nothing is compiled.
  npmRebuild: false,
  removePackageScripts: true,
  removePackageKeywords: true,
  electronLanguages: ['en-US'],
  protocols: [{ name: 'Bursar', schemes: ['bursar'] }],
  publish: feed ? { provider: 'generic', url: feed } : null,

  beforePack: ({ electronPlatformName, arch }) => stage(join(import.meta.dirname, STAGED), `${electronPlatformName}-${Arch[arch]}`),
  extraResources: [
    { from: `${STAGED}/program`, to: 'program' },
    { from: `${STAGED}/program-modules`, to: 'program/node_modules' },
  ],

  asar: true,
  // The binaries cannot be loaded from an archive. The reading thread runs outside of it, from where it finds the same copy of SQLite.
  asarUnpack: ['package.json', 'out/main/search.js', '**/better-sqlite3/**', '**/*.node'],
  files: [
    'package.json',
    'LICENSE',
    'out/main/**',
    '!out/main/{shim,cli,headless}.js',
    'out/preload/**',
    'out/renderer/**',
    'resources/icon.png',
    'resources/tray/**',
    '!**/*.map',
    // What it finds by itself: the pinned Node of a checkout, sources of the libraries, binaries for other platforms.
    '!node_modules/**',
    { from: `${STAGED}/archive-modules`, to: 'node_modules' },
  ],
  electronFuses: {
    runAsNode: false,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
  },

  mac: {
    category: 'public.app-category.finance',
    icon: 'resources/icon.icns',
    // For the processor of the machine, of which npm installed the Node. The zip is what updates come as.
    target: ['dmg', 'zip'],
    hardenedRuntime: true,
    gatekeeperAssess: false,
    entitlements: 'resources/entitlements.mac.plist',
    entitlementsInherit: 'resources/entitlements.mac.plist',
    binaries: ['Contents/Resources/program/node'],
    notarize: Boolean(process.env.APPLE_API_KEY ?? process.env.APPLE_ID),
  },
  win: {
    icon: 'resources/icon.ico',
    target: [{ target: 'nsis', arch: ['x64'] }],
  },
  nsis: { oneClick: true, perMachine: false, deleteAppDataOnUninstall: false },
  linux: {
    executableName: 'bursar',
    icon: 'resources/icons',
    category: 'Office;Finance',
    synopsis: 'Pays MCP servers that ask for money, within your limits',
    description: 'A desktop wallet companion for people who use AI agents: it pays MCP servers that ask for money, within limits that the owner sets.',
    maintainer: 'Bursar maintainers <maintainers@bursar.invalid>',
    target: ['AppImage', 'deb'],
  },
};
