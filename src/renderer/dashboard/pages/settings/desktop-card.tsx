import { useId, useSyncExternalStore, type ReactNode } from 'react';
import { NotificationKind, type SettingsView } from '../../../../shared/contract/settings.ts';
import { desktopTexts as texts, settingsTexts } from '../../../texts/settings.ts';
import { chooseTheme, onTheme, currentTheme, type Theme } from '../../../ui/theme.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card } from '../../parts/card.tsx';
import { Switch } from '../../parts/switch.tsx';
import { useAct, useRead } from '../../server-state.tsx';

/** Theme, notifications, and what Bursar does by itself. */
export function DesktopCard({ settings: { notifications, autostart } }: { readonly settings: SettingsView }) {
  const set = useAct('settings.set');
  const announce = useAnnounce();
  const saved = { onSuccess: () => announce(settingsTexts.saved) };
  const asked = set.isPending ? set.variables : undefined;
  return (
    <Card title={texts.title}>
      <div className="grid grid-cols-1 gap-5">
        <ThemeChoice />
        <Group title={texts.notifications}>
          {notifications.supported ? (
            NotificationKind.options.map((kind) => (
              <Switch
                key={kind}
                label={texts.kinds[kind].label}
                note={texts.kinds[kind].note}
                checked={asked?.notifications?.[kind] ?? notifications.on[kind]}
                disabled={set.isPending}
                onChange={(on) => set.mutate({ notifications: { [kind]: on } }, saved)}
              />
            ))
          ) : (
            <p className="text-sm text-muted">{texts.noNotifications}</p>
          )}
        </Group>
        <Group title={texts.autostart}>
          {autostart.supported ? (
            <Switch label={texts.autostartOn} note={texts.autostartNote} checked={asked?.autostart ?? autostart.on} disabled={set.isPending} onChange={(on) => set.mutate({ autostart: on }, saved)} />
          ) : (
            <p className="text-sm text-muted">{texts.noAutostart}</p>
          )}
        </Group>
        <ByItself />
        {set.error && <ErrorCallout error={set.error.info} />}
      </div>
    </Card>
  );
}

const LOCKS = ['screenLock', 'sleep'] as const;

/** What the desktop application does unasked; the browser's Bursar hears of neither screen nor sleep, and looks for nothing newer. */
function ByItself() {
  const desktop = useRead('desktop.get', {}).data;
  const set = useAct('desktop.set');
  const announce = useAnnounce();
  if (!desktop?.supported) return undefined;
  const { lockOn, updates } = desktop;
  const asked = set.isPending ? set.variables : undefined;
  const saved = { onSuccess: () => announce(settingsTexts.saved) };
  return (
    <>
      <Group title={texts.lockOn}>
        {LOCKS.map((when) => (
          <Switch key={when} {...texts.locks[when]} checked={asked?.lockOn?.[when] ?? lockOn[when]} disabled={set.isPending} onChange={(on) => set.mutate({ lockOn: { [when]: on } }, saved)} />
        ))}
      </Group>
      {updates.kind !== 'none' && (
        <Group title={texts.updates}>
          <Switch label={texts.updatesOn} note={texts.updatesNote[updates.kind]} checked={asked?.checkForUpdates ?? updates.check} disabled={set.isPending} onChange={(on) => set.mutate({ checkForUpdates: on }, saved)} />
        </Group>
      )}
      {set.error && <ErrorCallout error={set.error.info} />}
    </>
  );
}

const Group = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <fieldset className="min-w-0">
    <legend className="mb-1.5 text-sm text-muted">{title}</legend>
    <div className="grid grid-cols-1 gap-3">{children}</div>
  </fieldset>
);

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function ThemeChoice() {
  const name = useId();
  const theme = useSyncExternalStore(onTheme, currentTheme);
  return (
    <Group title={texts.theme}>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {THEMES.map((each) => (
          <label key={each} className="flex items-center gap-2">
            <input type="radio" name={name} className="accent-(--accent)" checked={theme === each} onChange={() => chooseTheme(each)} />
            {texts.themes[each]}
          </label>
        ))}
      </div>
      <p className="text-sm text-muted">{texts.themeNote}</p>
    </Group>
  );
}
