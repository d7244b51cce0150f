import { TextField } from '../../parts/field.tsx';

interface MinutesFieldProps {
  readonly label: string;
  /** Zero where nothing usable is written. */
  readonly minutes: number;
  readonly onChange: (minutes: number) => void;
  readonly problem: string | undefined;
  readonly note?: string | undefined;
}

/** A number of whole minutes. */
export function MinutesField({ minutes, onChange, ...rest }: MinutesFieldProps) {
  return <TextField {...rest} value={minutes > 0 ? String(minutes) : ''} onChange={(next) => onChange(/^\d{1,6}$/.test(next.trim()) ? Number(next) : 0)} autoComplete="off" maxLength={6} />;
}
