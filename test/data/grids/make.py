"""Makes the small grids of this folder with netCDF4 and tifffile, to be read by Merrow's own readers.

All hold q = 1 + 2 x - 3 y + 0.5 z + 0.1 t + 0.01 x y over x 0..3, y 10..30 (from north to south), z 0 and 5, t 0 and 60.
"""

import pathlib

import netCDF4
import numpy as np
import tifffile

HERE = pathlib.Path(__file__).parent
X, Y, Z, T = np.arange(4.0), np.array([30.0, 20.0, 10.0]), np.array([0.0, 5.0]), np.array([0.0, 60.0])


def q(t, z, y, x):
    return 1 + 2 * x - 3 * y + 0.5 * z + 0.1 * t + 0.01 * x * y


def netcdf(name, form, kind, packed=False, records=True, hole=False, fill=-32768, **storage):
    with netCDF4.Dataset(HERE / name, "w", format=form) as f:
        f.title = "a test"
        f.createDimension("time", None if records else T.size)
        for dim, places in (("depth", Z), ("lat", Y), ("lon", X)):
            f.createDimension(dim, places.size)
        for dim, places in (("time", T), ("depth", Z), ("lat", Y), ("lon", X)):
            f.createVariable(dim, "f8", (dim,))[:] = places
        # odd sizes between the records, to see whether their padding is understood
        f.createVariable("flag", "i1", ("time",))[:] = np.array([1, 2], "i1")
        v = f.createVariable("q", kind, ("time", "depth", "lat", "lon"), fill_value=fill if packed else None, **storage)
        v.units = "m s-1"
        values = q(T[:, None, None, None], Z[:, None, None], Y[:, None], X)
        if packed:
            v.scale_factor, v.add_offset = 0.01, -40.0
        v[:] = values
        if hole:
            v[1, 1, 2, 3] = np.ma.masked


netcdf("cdf1.nc", "NETCDF3_CLASSIC", "f8")
netcdf("cdf2.nc", "NETCDF3_64BIT_OFFSET", "i2", packed=True, hole=True)
netcdf("cdf5.nc", "NETCDF3_64BIT_DATA", "f4", records=False)
# a hole that holds the default fill value of its type
netcdf("fill.nc", "NETCDF3_CLASSIC", "i4", packed=True, hole=True, fill=None)
# as ROMS, HYCOM and CMEMS write: chunks that do not divide the axes, compressed
chunks = {"zlib": True, "shuffle": True, "chunksizes": (1, 2, 2, 3)}
netcdf("nc4_packed.nc", "NETCDF4", "i2", packed=True, hole=True, **chunks)
netcdf("nc4_double.nc", "NETCDF4_CLASSIC", "f8", fletcher32=True, **chunks)
netcdf("nc4_plain.nc", "NETCDF4", "f4", records=False)

raster = q(0.0, 0.0, Y[:, None], X).astype("f4")
raster[0, 0] = -9999
tags = [
    (33550, "d", 3, (1.0, 10.0, 0.0), True),
    # the outer corner of the north-western cell
    (33922, "d", 6, (0.0, 0.0, 0.0, -0.5, 35.0, 0.0), True),
    (42113, "s", 6, "-9999", True),
]
tifffile.imwrite(HERE / "area.tif", raster, compression="deflate", predictor=True, extratags=tags)
keys = (1, 1, 0, 1, 1025, 0, 1, 2)
tags[1] = (33922, "d", 6, (0.0, 0.0, 0.0, 0.0, 30.0, 0.0), True)
tags[2] = (34735, "H", len(keys), keys, True)
tifffile.imwrite(HERE / "point.tif", q(0.0, 0.0, Y[:, None], X), extratags=tags)
